import { type DemoClient, type DemoReply, readFrames } from '../../src/cli/demo/index.ts';
import type { TestGateway } from '../support/test-gateway.ts';
import type { AskOptions, OptionWriter } from './ask-options.ts';
import type { GatewayPair } from './gateway-pair.ts';

/** One cell of the matrix, as a scenario sees it: a client of one front, a model behind one upstream, one mode. */
export interface Asking {
  readonly front: string;
  readonly upstream: string;
  readonly stream: boolean;
  /** Every gateway the turns of this cell pass. */
  readonly gateways: readonly TestGateway[];
  /** A whole answer; throws on any other. */
  ask(options: AskOptions): Promise<DemoReply>;
  /** The bare response, whatever it is. */
  send(options: AskOptions, signal?: AbortSignal): Promise<Response>;
  read(response: Response): Promise<DemoReply>;
  readError(body: unknown): string | undefined;
}

export interface AskingParts {
  readonly pair: GatewayPair;
  readonly client: DemoClient;
  readonly writer: OptionWriter;
  readonly upstream: string;
  readonly stream: boolean;
}

export function createAsking({ pair, client, writer, upstream, stream }: AskingParts): Asking {
  const send: Asking['send'] = async (options, signal) => {
    const { model, messages, tools = [] } = options;
    const plain = client.encodeRequest({ model: pair.modelName(upstream, model), messages, tools, stream });
    return fetch(pair.near.url + client.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(writer.write(plain, options)),
      ...(signal ? { signal } : {}),
    });
  };
  const read: Asking['read'] = async (response) =>
    stream ? client.readStream(readFrames(response)) : client.readWhole(await response.json());
  return {
    front: client.front,
    upstream,
    stream,
    gateways: pair.involved(upstream),
    send,
    read,
    ask: async (options) => {
      const response = await send(options);
      if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
      return read(response);
    },
    readError: writer.readError,
  };
}
