import type { FilePart, ImagePart } from '../../core/index.ts';

/** The first characters of each format in base64; the wire tells no media type for pictures that were read. */
const FIRST_CHARACTERS: readonly (readonly [start: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

export function picturePart(data: string, mediaType = mediaTypeOf(data)): ImagePart {
  return { type: 'image', source: { type: 'base64', data, mediaType } };
}

function mediaTypeOf(data: string): string {
  return FIRST_CHARACTERS.find(([start]) => data.startsWith(start))?.[1] ?? 'application/octet-stream';
}

/** Base64 and media type of the pictures among the parts; those behind an address stay behind. */
export function picturesIn(
  parts: readonly (ImagePart | FilePart)[] | undefined,
): readonly { readonly data: string; readonly mediaType: string }[] {
  return (parts ?? []).flatMap(({ type, source }) =>
    type === 'image' && source.type === 'base64'
      ? [{ data: source.data, mediaType: source.mediaType ?? mediaTypeOf(source.data) }]
      : [],
  );
}
