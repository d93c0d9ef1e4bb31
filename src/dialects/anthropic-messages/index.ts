export { countTokensRoutes, estimateInputTokens } from './count-tokens.ts';
export { decodeRequest, decodeRequestBody } from './decode-request.ts';
export { type EncodedRequest, encodeRequest } from './encode-request.ts';
export { chooseEncoding, type MessagesEncoding } from './encoding-options.ts';
export { decodeErrorResponse, encodeError } from './errors.ts';
export { anthropicMessagesFront } from './front.ts';
export { anthropicMessagesUpstream } from './upstream.ts';
