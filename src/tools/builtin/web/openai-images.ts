// OpenAI's POST /images/generations, which other services speak too.
import { z } from 'zod';
import { mediaTypeOf } from '../files/media-type.ts';
import type { AspectRatio, ImagePort } from './media-ports.ts';
import { requestJson } from './request-json.ts';
import { serviceUrl } from './search-provider.ts';
import { WebFault } from './web-fault.ts';

export interface OpenAiImagesOptions {
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly model: string;
}

const answerSchema = z.object({ data: z.array(z.object({ b64_json: z.string() })).min(1) });
/** The sizes that both generations of models know. */
const SIZES: Readonly<Record<AspectRatio, readonly [gptImage: string, dallE: string]>> = {
  '1:1': ['1024x1024', '1024x1024'],
  '4:3': ['1536x1024', '1792x1024'],
  '16:9': ['1536x1024', '1792x1024'],
  '3:4': ['1024x1536', '1024x1792'],
  '9:16': ['1024x1536', '1024x1792'],
};
const TIMEOUT_MS = 180_000;
const MAX_BYTES = 40 * 1024 * 1024;

export function createOpenAiImages(options: OpenAiImagesOptions): ImagePort {
  const isDallE = /^dall-e/i.test(options.model);
  return {
    touches: [{ type: 'host', url: options.baseUrl }],
    async generate({ description, aspectRatio, references }, signal) {
      if (references.length > 0)
        throw new WebFault(
          'EINVAL',
          `${options.model} takes no reference images here; describe them in words.`,
        );
      const answer = await requestJson({
        url: serviceUrl(options.baseUrl, '/images/generations'),
        service: 'The image service',
        method: 'POST',
        headers: options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
        body: {
          model: options.model,
          prompt: description,
          n: 1,
          size: SIZES[aspectRatio][isDallE ? 1 : 0],
          // The older models give an address unless asked; the newer ones do not know the word.
          ...(isDallE ? { response_format: 'b64_json' } : {}),
        },
        signal,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      const parsed = answerSchema.safeParse(answer);
      const bytes = Buffer.from(parsed.data?.data[0]?.b64_json ?? '', 'base64');
      const mediaType = mediaTypeOf(bytes);
      if (mediaType === undefined)
        throw new WebFault(
          'FAILED',
          'The image service did not answer with a picture; check the model in tools.images.',
        );
      return { mediaType, bytes };
    },
  };
}
