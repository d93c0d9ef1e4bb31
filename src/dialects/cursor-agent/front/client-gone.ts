import { GatewayError } from '../../../core/index.ts';

/** What waits for a client that will not answer any more ends with this, and so does its run. */
export function clientGone(): GatewayError {
  return new GatewayError('cancelled', 'The client went away before it answered.');
}

/** What a caller called off. */
export function calledOff(what: string): GatewayError {
  return new GatewayError('cancelled', `${what} was called off.`);
}
