// The chat dialect says errors as OpenAI does, before and inside a stream.
export { decodeErrorObject, decodeErrorResponse, encodeError, encodeErrorBody } from '../openai-errors.ts';
