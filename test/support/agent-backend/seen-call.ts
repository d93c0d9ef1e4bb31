/** A request that reached the simulated backend, runs included. */
export interface SeenCall {
  readonly path: string;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for runs over HTTP/2, whose body never ends. */
  readonly body: Uint8Array;
}
