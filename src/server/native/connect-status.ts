// HTTP statuses of failed unary calls, from the Connect protocol specification (connectrpc.com/docs/protocol, "Error
// codes"); the numbers of gRPC statuses for its web variant, from the gRPC status code list.
import type { ConnectCode } from '../../wire/connect-end-stream.ts';

const CODES: Readonly<Record<ConnectCode, { readonly http: number; readonly grpc: number }>> = {
  canceled: { http: 499, grpc: 1 },
  unknown: { http: 500, grpc: 2 },
  invalid_argument: { http: 400, grpc: 3 },
  deadline_exceeded: { http: 504, grpc: 4 },
  not_found: { http: 404, grpc: 5 },
  already_exists: { http: 409, grpc: 6 },
  permission_denied: { http: 403, grpc: 7 },
  resource_exhausted: { http: 429, grpc: 8 },
  failed_precondition: { http: 400, grpc: 9 },
  aborted: { http: 409, grpc: 10 },
  out_of_range: { http: 400, grpc: 11 },
  unimplemented: { http: 501, grpc: 12 },
  internal: { http: 500, grpc: 13 },
  unavailable: { http: 503, grpc: 14 },
  data_loss: { http: 500, grpc: 15 },
  unauthenticated: { http: 401, grpc: 16 },
};

export function httpStatusOfConnect(code: ConnectCode): number {
  return CODES[code].http;
}

export function grpcStatusOfConnect(code: ConnectCode): number {
  return CODES[code].grpc;
}
