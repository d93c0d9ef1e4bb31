import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.ts';
import { type Isolation, isolate } from './isolation.ts';

/** A gateway in an isolated place of its own, where clients can be run beside it. */
export interface Place {
  readonly isolation: Isolation;
  readonly gateway: GatewayUnderTest;
  stop(): Promise<void>;
}

export async function openPlace(modelAliases: readonly string[] = [], settings: object = {}): Promise<Place> {
  const isolation = await isolate();
  try {
    const gateway = await startGatewayUnderTest({ isolation, modelAliases, settings });
    const stop = () => gateway.stop().finally(isolation.stop);
    return { isolation, gateway, stop };
  } catch (error) {
    await isolation.stop();
    throw error;
  }
}
