// The small calls by which clients find out whether the backend is there, and what time it has.
import {
  AiService,
  HealthService,
  NetworkService,
  ServerTimeRequestSchema,
  ServerTimeResponseSchema,
} from '../../../gen/aiserver/v1/ai_service_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import { defineEmpty } from './define-empty.ts';

export function createHealthMethods(): UnaryMethod[] {
  return [
    defineUnary({
      path: '/aiserver.v1.AiService/ServerTime',
      input: ServerTimeRequestSchema,
      output: ServerTimeResponseSchema,
      handle: async (_request, { nowMs }) => ({ receiveTimestamp: nowMs(), transmitTimestamp: nowMs() }),
    }),
    defineEmpty(AiService.method.healthCheck),
    defineEmpty(HealthService.method.unary),
    defineEmpty(NetworkService.method.isConnected),
  ];
}
