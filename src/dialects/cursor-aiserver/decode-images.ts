import type { ImagePart } from '../../core/index.ts';
import type { ImageProto } from '../../gen/aiserver/v1/common_pb.ts';

/** The first bytes of each format; the wire tells no media type. */
const FIRST_BYTES: readonly (readonly [start: string, mediaType: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['52494646', 'image/webp'],
];

/** Pictures with their bytes; one that is only named by its id cannot be had from here and is counted. */
export function decodeImages(images: readonly ImageProto[], onDrift: (kind: string) => void): ImagePart[] {
  return images.flatMap(({ data }) => {
    if (data.length === 0) {
      onDrift('ImageProto without data');
      return [];
    }
    const start = Buffer.from(data.subarray(0, 8)).toString('hex');
    const mediaType = FIRST_BYTES.find(([bytes]) => start.startsWith(bytes))?.[1] ?? 'image/png';
    const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
    return [{ type: 'image' as const, source: { type: 'base64' as const, data: base64, mediaType } }];
  });
}
