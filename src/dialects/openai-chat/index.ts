export { decodeRequest, decodeRequestBody } from './decode-request.ts';
export { type EncodedRequest, encodeRequest } from './encode-request.ts';
export { type ChatEncoding, chooseEncoding } from './encoding-options.ts';
export { decodeErrorResponse, encodeError } from './errors.ts';
export { openaiChatFront } from './front.ts';
export { decodeModelList } from './models.ts';
export { openaiChatUpstream } from './upstream.ts';
