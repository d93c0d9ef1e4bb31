import { TextDecoder } from 'node:util';
import { decodeWindows1252 } from './windows-1252.ts';

/** Bytes of a page as text: by byte order mark, then the header, then the page's own word, then by looking. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const label = byteOrderMark(bytes) ?? charsetOf(contentType) ?? declaredCharset(bytes);
  const decoder = label === undefined ? undefined : decoderFor(label);
  if (decoder?.encoding === 'windows-1252') return decodeWindows1252(bytes);
  if (decoder) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // What browsers take for pages that say nothing and are not UTF-8; it knows every byte.
    return decodeWindows1252(bytes);
  }
}

export function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];
}

function byteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** `<meta charset>` or `<?xml encoding?>` in the first kilobyte, where the standard wants it. */
function declaredCharset(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 1024).toString('latin1');
  const found =
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head) ??
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head);
  // A page that could be read this far is not UTF-16, whatever it says.
  return found?.[1]?.replace(/^utf-?16.*$/i, 'utf-8');
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
