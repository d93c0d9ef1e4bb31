import type { Timers } from '../../upstream-timers.ts';

export interface AgentServicesOptions {
  /**
   * Which transport the server configuration asks clients for. `auto`: HTTP/2 where it is sure to arrive, which leaves
   * a client that was told to use HTTP/1.1 its way. `off`: HTTP/1.1 for all.
   */
  readonly http2?: 'auto' | 'off';
  readonly timers?: Timers;
  /** Hears of telemetry that was thrown away: the method's name. */
  readonly onSwallowed?: (method: string) => void;
}
