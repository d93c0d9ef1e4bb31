// The readable part of a page as Markdown: headings, paragraphs, links, lists, code and tables. Navigation, scripts and
// whatever the page hides from people is left out; hidden text is a known way to speak to models behind a user's back.
import { type HtmlElement, type HtmlNode, parseHtml } from './parse-html.ts';
import { renderTable } from './render-table.ts';

export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
}

const DROPPED = new Set(
  'head title script style noscript template svg math iframe object embed canvas audio video map select datalist button input textarea dialog noembed noframes'.split(
    ' ',
  ),
);
const SURROUNDINGS = new Set(['nav', 'footer', 'aside']);
const BLOCKS = new Set(
  '#root address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
/** Less than this is a cookie notice, not a page. */
const ENOUGH_CHARACTERS = 200;

export function htmlToMarkdown(html: string, baseUrl: string): ReadablePage {
  const root = parseHtml(html);
  const title = collapse(textContent(findElement(root, (element) => element.tag === 'title'))).trim();
  const base = findElement(root, (element) => element.tag === 'base')?.attributes.href;
  const links = base !== undefined && URL.canParse(base, baseUrl) ? new URL(base, baseUrl).href : baseUrl;
  const main = findElement(root, (element) => element.tag === 'main' || element.attributes.role === 'main');
  // The narrowest reading that still says something.
  const readings = [
    () => (main ? new Renderer(links, SURROUNDINGS).render(main) : ''),
    () => new Renderer(links, SURROUNDINGS).render(root),
    () => new Renderer(links, new Set()).render(root),
  ];
  let best = '';
  for (const read of readings) {
    const markdown = read();
    if (markdown.length > best.length) best = markdown;
    if (best.length >= ENOUGH_CHARACTERS) break;
  }
  return { title, markdown: best };
}

class Renderer {
  readonly #baseUrl: string;
  readonly #skipped: ReadonlySet<string>;

  constructor(baseUrl: string, skipped: ReadonlySet<string>) {
    this.#baseUrl = baseUrl;
    this.#skipped = skipped;
  }

  render(element: HtmlElement): string {
    return this.#blocks(element.children).join('\n\n');
  }

  /** Blocks stay apart; runs of text and inline elements between them are paragraphs. */
  #blocks(nodes: readonly HtmlNode[]): string[] {
    const blocks: string[] = [];
    let run: HtmlNode[] = [];
    const flush = () => {
      const text = tidy(this.#inline(run));
      if (text !== '') blocks.push(text);
      run = [];
    };
    for (const node of nodes) {
      if (typeof node === 'string' || !holdsBlocks(node)) {
        run.push(node);
        continue;
      }
      flush();
      // Not spread: a page may have more blocks than a call may have arguments.
      if (!this.#isSkipped(node)) for (const block of this.#block(node)) blocks.push(block);
    }
    flush();
    return blocks;
  }

  #block(element: HtmlElement): string[] {
    const { tag, children } = element;
    switch (tag) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        return one(`${'#'.repeat(Number(tag[1]))} `, tidy(this.#inline(children)).replaceAll('\n', ' '));
      case 'pre':
        return one('', fence(element));
      case 'hr':
        return ['---'];
      case 'blockquote':
        return one('', prefixLines(this.#blocks(children).join('\n\n'), '> '));
      case 'ul':
      case 'ol':
      case 'menu':
        return one('', this.#list(element));
      case 'dt':
      case 'summary':
        return one('', surround(tidy(this.#inline(children)), '**'));
      case 'dd':
        return one('', indent(`: ${this.#blocks(children).join('\n\n')}`, 2));
      case 'table':
        return this.#table(element);
      default:
        return this.#blocks(children);
    }
  }

  #list(list: HtmlElement): string {
    let number = Number.parseInt(list.attributes.start ?? '1', 10) || 1;
    const items: string[] = [];
    for (const child of list.children) {
      if (typeof child === 'string' || this.#isSkipped(child)) continue;
      const blocks = this.#blocks(child.tag === 'li' ? child.children : [child]);
      if (blocks.length === 0) continue;
      const mark = list.tag === 'ol' ? `${number++}. ` : '- ';
      // One line between the item's own text and a list below it; a blank line only between real paragraphs.
      const text = blocks.reduce(
        (all, block) => all + (/^(?:- |\d+\. )/.test(block) ? '\n' : '\n\n') + block,
      );
      items.push(indent(mark + text, mark.length));
    }
    return items.join('\n');
  }

  #table(table: HtmlElement): string[] {
    const rendered = renderTable(table, (cell) => tidy(this.#inline(cell.children)));
    return rendered === undefined ? this.#blocks(table.children) : one('', rendered);
  }

  #inline(nodes: readonly HtmlNode[]): string {
    let text = '';
    for (const node of nodes) text += typeof node === 'string' ? collapse(node) : this.#inlineElement(node);
    return text;
  }

  #inlineElement(element: HtmlElement): string {
    if (this.#isSkipped(element)) return '';
    const { tag, attributes, children } = element;
    switch (tag) {
      case 'br':
        return '\n';
      case 'a':
        return this.#link(this.#inline(children), attributes.href);
      case 'img':
        return this.#image(attributes);
      case 'strong':
      case 'b':
        return surround(this.#inline(children), '**');
      case 'em':
      case 'i':
        return surround(this.#inline(children), '*');
      case 'del':
      case 's':
        return surround(this.#inline(children), '~~');
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return inlineCode(collapse(textContent(element)));
      default:
        return BLOCKS.has(tag) ? ` ${this.#inline(children)} ` : this.#inline(children);
    }
  }

  #link(text: string, href: string | undefined): string {
    const label = collapse(text).trim();
    const target = href === undefined || href.startsWith('#') ? undefined : this.#address(href);
    if (label === '' || target === undefined) return text;
    return spaced(text, `[${label.replaceAll(']', '\\]')}](${target})`);
  }

  #image(attributes: HtmlElement['attributes']): string {
    const alt = collapse(attributes.alt ?? '').trim();
    const target = this.#address(attributes.src ?? '');
    return alt === '' || target === undefined ? '' : `![${alt.replaceAll(']', '\\]')}](${target})`;
  }

  #address(given: string): string | undefined {
    if (given === '' || !URL.canParse(given, this.#baseUrl)) return undefined;
    const url = new URL(given, this.#baseUrl);
    if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
    return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
  }

  #isSkipped({ tag, attributes }: HtmlElement): boolean {
    return (
      DROPPED.has(tag) ||
      this.#skipped.has(tag) ||
      attributes.hidden !== undefined ||
      attributes['aria-hidden'] === 'true' ||
      (attributes.style !== undefined && HIDING_STYLE.test(attributes.style))
    );
  }
}

const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]))/i;

/** Links and emphasis around whole blocks are blocks themselves. */
function holdsBlocks(element: HtmlElement): boolean {
  return (
    BLOCKS.has(element.tag) ||
    element.children.some((child) => typeof child !== 'string' && BLOCKS.has(child.tag))
  );
}

export function findElement(
  element: HtmlElement,
  isWanted: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (isWanted(child)) return child;
    const found = findElement(child, isWanted);
    if (found) return found;
  }
  return undefined;
}

function textContent(node: HtmlNode | undefined): string {
  if (node === undefined || typeof node === 'string') return node ?? '';
  return node.tag === 'br' ? '\n' : node.children.map(textContent).join('');
}

function fence(pre: HtmlElement): string {
  const text = textContent(pre)
    .replace(/^\r?\n/, '')
    .trimEnd();
  if (text.trim() === '') return '';
  const code = findElement(pre, (element) => element.tag === 'code');
  const classes = `${code?.attributes.class ?? ''} ${pre.attributes.class ?? ''}`;
  const language = /\b(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? '';
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${language}\n${text}\n${marks}`;
}

function inlineCode(text: string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const marks = '`'.repeat(longestRun(inner) + 1);
  const pad = inner.startsWith('`') || inner.endsWith('`') ? ' ' : '';
  return spaced(text, `${marks}${pad}${inner}${pad}${marks}`);
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** Marks stand at the words, not at the spaces around them. */
function surround(text: string, mark: string): string {
  const inner = text.trim();
  return inner === '' ? text : spaced(text, `${mark}${inner}${mark}`);
}

function spaced(original: string, inner: string): string {
  return (/^\s/.test(original) ? ' ' : '') + inner + (/\s$/.test(original) ? ' ' : '');
}

function collapse(text: string): string {
  return text.replace(/[ \t\r\n\f\u00a0]+/g, ' ');
}

/** Spaces and blank lines that inline elements left behind. */
function tidy(text: string): string {
  return text
    .replace(/ {2,}/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function one(prefix: string, text: string): string[] {
  return text === '' ? [] : [prefix + text];
}

function prefixLines(text: string, prefix: string): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => (prefix + line).trimEnd())
        .join('\n');
}

/** Every line but the first. */
function indent(text: string, width: number): string {
  return text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`);
}
