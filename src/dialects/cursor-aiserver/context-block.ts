/** A file of more characters is cut; the model can read the rest with its tools. */
const MAX_CHARACTERS = 200_000;

/** One piece of context as models read it: a tag that says what it is, around the text itself. */
export function contextBlock(
  tag: string,
  body: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => ` ${name}="${String(value).replaceAll('"', '&quot;')}"`)
    .join('');
  return body === '' ? `<${tag}${written}/>` : `<${tag}${written}>\n${clip(body)}\n</${tag}>`;
}

function clip(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS)}\n[${text.length - MAX_CHARACTERS} more characters are left out]`;
}
