export { decodeRequest, decodeRequestBody } from './decode-request.ts';
export { type EncodedRequest, encodeRequest } from './encode-request.ts';
export { decodeErrorResponse, encodeError } from './errors.ts';
export { openaiResponsesFront } from './front.ts';
export { openaiResponsesUpstream } from './upstream.ts';
