/** What a file is by its first bytes, for content that models take as a picture or document; names can lie. */
export function mediaTypeOf(head: Buffer): string | undefined {
  if (head.subarray(0, 8).equals(PNG)) return 'image/png';
  if (head.subarray(0, 3).equals(JPEG)) return 'image/jpeg';
  const text = head.subarray(0, 12).toString('latin1');
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  if (text.startsWith('RIFF') && text.endsWith('WEBP')) return 'image/webp';
  if (text.startsWith('%PDF-')) return 'application/pdf';
  return undefined;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
