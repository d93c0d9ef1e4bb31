// Where a stream that is forwarded byte for byte stood when it broke. The front writes the ending but has not read
// the frames; the error that the decoder made tells it the response id and the last sequence number.
import { GatewayError, isJsonObject } from '../../core/index.ts';

export interface RawPosition {
  readonly responseId: string | undefined;
  readonly sequenceNumber: number;
}

export function withPosition(error: GatewayError, position: RawPosition): GatewayError {
  if (position.sequenceNumber < 0) return error;
  const { retryable, retryAfterMs, detail, cause } = error;
  const upstreamBody = { response_id: position.responseId, sequence_number: position.sequenceNumber };
  return new GatewayError(error.code, error.message, {
    retryable,
    retryAfterMs,
    detail: { ...detail, upstreamBody },
    cause: cause ?? error,
  });
}

export function positionOf(error: GatewayError): RawPosition | undefined {
  const body = error.detail?.upstreamBody;
  if (!isJsonObject(body) || typeof body.sequence_number !== 'number') return undefined;
  return {
    responseId: typeof body.response_id === 'string' ? body.response_id : undefined,
    sequenceNumber: body.sequence_number,
  };
}
