// HTML into a tree, as far as reading needs it: unclosed and misplaced tags are put right by the common rules of the
// standard, not by all of them. One pass, linear in the input, with bounds on depth and size for hostile pages.
import { decodeEntities } from './html-entities.ts';

export interface HtmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: HtmlNode[];
}
export type HtmlNode = HtmlElement | string;

const MAX_DEPTH = 200;
const MAX_ELEMENTS = 200_000;
const VOID = words('area base br col embed hr img input link meta param source track wbr');
/** Their content is text up to their own end tag. */
const RAW = words('script style textarea title xmp noscript iframe noembed noframes template');
const DECODED_RAW = words('textarea title');
const CLOSES_PARAGRAPH = words(
  'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul',
);
/** An opening tag ends an open element of these names, but not beyond the given border. */
const ENDS_BEFORE: Readonly<
  Record<string, { readonly ends: ReadonlySet<string>; readonly border: ReadonlySet<string> }>
> = {
  li: { ends: words('li'), border: words('ul ol menu') },
  dt: { ends: words('dt dd'), border: words('dl') },
  dd: { ends: words('dt dd'), border: words('dl') },
  td: { ends: words('td th'), border: words('tr table') },
  th: { ends: words('td th'), border: words('tr table') },
  tr: { ends: words('tr'), border: words('table') },
  thead: { ends: words('thead tbody tfoot'), border: words('table') },
  tbody: { ends: words('thead tbody tfoot'), border: words('table') },
  tfoot: { ends: words('thead tbody tfoot'), border: words('table') },
  option: { ends: words('option'), border: words('select') },
};
const PARAGRAPH = { ends: words('p'), border: words('td th table button') };

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

export function parseHtml(html: string): HtmlElement {
  const tree = new TreeBuilder();
  let at = 0;
  while (at < html.length && !tree.isFull) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    if (end > at) tree.text(decodeEntities(html.slice(at, end)));
    at = open === -1 ? html.length : readMarkup(html, open, tree);
  }
  return tree.root;
}

/** Reads what begins at a `<` and gives the position after it. */
function readMarkup(html: string, open: number, tree: TreeBuilder): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open + 4);
  const next = html.charCodeAt(open + 1);
  if (next === 33 || next === 63) return after(html, '>', open + 2); // <!doctype, <?xml
  const isEnd = next === 47;
  const nameStart = open + (isEnd ? 2 : 1);
  if (!isLetter(html.charCodeAt(nameStart))) {
    tree.text('<');
    return open + 1;
  }
  let nameEnd = nameStart;
  while (nameEnd < html.length && !isNameEnd(html.charCodeAt(nameEnd))) nameEnd += 1;
  const tag = html.slice(nameStart, nameEnd).toLowerCase();
  if (isEnd) {
    tree.end(tag);
    return after(html, '>', nameEnd);
  }
  const { attributes, end } = readAttributes(html, nameEnd);
  if (!RAW.has(tag)) {
    tree.start(tag, attributes, VOID.has(tag));
    return end;
  }
  const close = new RegExp(`</${tag}(?=[\\s/>])`, 'gi');
  close.lastIndex = end;
  const found = close.exec(html);
  const raw = html.slice(end, found?.index ?? html.length);
  tree.raw(tag, attributes, DECODED_RAW.has(tag) ? decodeEntities(raw) : raw);
  return found ? after(html, '>', found.index) : html.length;
}

function readAttributes(html: string, from: number): { attributes: Record<string, string>; end: number } {
  const attributes: Record<string, string> = Object.create(null);
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === 62) return { attributes, end: at + 1 };
    if (isSpace(code) || code === 47) {
      at += 1;
      continue;
    }
    const nameStart = at;
    at += 1; // a stray `=` belongs to the name
    while (at < html.length && !isNameEnd(html.charCodeAt(at)) && html.charCodeAt(at) !== 61) at += 1;
    const name = html.slice(nameStart, at).toLowerCase();
    let valueAt = at;
    while (isSpace(html.charCodeAt(valueAt))) valueAt += 1;
    if (html.charCodeAt(valueAt) !== 61) {
      attributes[name] ??= '';
      at = valueAt;
      continue;
    }
    valueAt += 1;
    while (isSpace(html.charCodeAt(valueAt))) valueAt += 1;
    const quote = html[valueAt];
    let end = valueAt;
    if (quote === '"' || quote === "'") {
      const close = html.indexOf(quote, valueAt + 1);
      end = close === -1 ? html.length : close;
      attributes[name] ??= decodeEntities(html.slice(valueAt + 1, end));
      at = end + 1;
      continue;
    }
    while (end < html.length && !isSpace(html.charCodeAt(end)) && html.charCodeAt(end) !== 62) end += 1;
    attributes[name] ??= decodeEntities(html.slice(valueAt, end));
    at = end;
  }
  return { attributes, end: html.length };
}

class TreeBuilder {
  readonly root: HtmlElement = { tag: '#root', attributes: {}, children: [] };
  readonly #stack: HtmlElement[] = [this.root];
  /** How many of each are open, so that a stray end tag costs nothing. */
  readonly #open = new Map<string, number>();
  #elements = 0;

  get isFull(): boolean {
    return this.#elements >= MAX_ELEMENTS;
  }

  text(text: string): void {
    this.#top.children.push(text);
  }

  raw(tag: string, attributes: Record<string, string>, text: string): void {
    this.#add({ tag, attributes, children: text === '' ? [] : [text] });
  }

  start(tag: string, attributes: Record<string, string>, isVoid: boolean): void {
    const rule = ENDS_BEFORE[tag];
    if (rule) this.#endOpen(rule.ends, rule.border);
    if (CLOSES_PARAGRAPH.has(tag)) this.#endOpen(PARAGRAPH.ends, PARAGRAPH.border);
    const element: HtmlElement = { tag, attributes, children: [] };
    this.#add(element);
    // Deeper than anyone writes: what follows becomes a sibling.
    if (isVoid || this.#stack.length >= MAX_DEPTH) return;
    this.#stack.push(element);
    this.#open.set(tag, (this.#open.get(tag) ?? 0) + 1);
  }

  end(tag: string): void {
    if (!this.#open.get(tag)) return;
    while (this.#stack.length > 1) if (this.#pop() === tag) return;
  }

  get #top(): HtmlElement {
    return this.#stack.at(-1) ?? this.root;
  }

  #add(element: HtmlElement): void {
    this.#elements += 1;
    this.#top.children.push(element);
  }

  #pop(): string | undefined {
    const tag = this.#stack.pop()?.tag;
    if (tag !== undefined) this.#open.set(tag, (this.#open.get(tag) ?? 1) - 1);
    return tag;
  }

  #endOpen(ends: ReadonlySet<string>, border: ReadonlySet<string>): void {
    if (![...ends].some((tag) => this.#open.get(tag))) return;
    for (let at = this.#stack.length - 1; at > 0; at--) {
      const tag = this.#stack[at]?.tag ?? '';
      if (border.has(tag)) return;
      if (!ends.has(tag)) continue;
      while (this.#stack.length > at) this.#pop();
      return;
    }
  }
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isNameEnd(code: number): boolean {
  return isSpace(code) || code === 47 || code === 62;
}
