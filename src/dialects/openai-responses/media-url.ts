// Pictures and files travel as URLs in this dialect; inline bytes are `data:` URLs.
import type { MediaSource } from '../../core/index.ts';

const DATA_URL = /^data:([^;,]+)(?:;[^,]*)?;base64,/;
const LONGEST_HEAD = 256;

export function decodeUrl(url: string): MediaSource {
  const head = DATA_URL.exec(url.slice(0, LONGEST_HEAD));
  if (!head?.[1]) return { type: 'url', url };
  return { type: 'base64', data: url.slice(head[0].length), mediaType: head[1] };
}

/** `file_data` is documented as a data URL, but bare base64 is seen too. */
export function decodeFileData(data: string): MediaSource {
  return data.startsWith('data:') ? decodeUrl(data) : { type: 'base64', data };
}

export function encodeUrl(
  source: Exclude<MediaSource, { type: 'id' }>,
  fallbackMediaType: string | undefined,
): string {
  if (source.type === 'url') return source.url;
  const mediaType = source.mediaType ?? fallbackMediaType;
  return mediaType === undefined ? source.data : `data:${mediaType};base64,${source.data}`;
}
