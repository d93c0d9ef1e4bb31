import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText } from './decode-text.ts';
import { decodeEntities } from './html-entities.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

const BASE = 'https://example.org/docs/page.html';
const markdownOf = (html: string) => htmlToMarkdown(html, BASE).markdown;

describe('blocks', () => {
  test.each([
    ['<h1>One</h1><h3>Two  <b>bold</b></h3>', '# One\n\n### Two **bold**'],
    ['<p>First\n  line<p>Second', 'First line\n\nSecond'],
    ['text<div>in<div>nested</div>divs</div>', 'text\n\nin\n\nnested\n\ndivs'],
    ['<ul><li>a<li>b<ul><li>c</ul></ul>', '- a\n- b\n  - c'],
    ['<ol start=3><li><p>a</p><p>more</p></li><li>b</ol>', '3. a\n\n   more\n4. b'],
    ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['<hr>x', '---\n\nx'],
    ['a<br>b', 'a\nb'],
    ['<dl><dt>Term<dd>Meaning</dl>', '**Term**\n\n: Meaning'],
    [
      '<pre><code class="language-ts">const a = 1 &lt; 2;\n  b();\n</code></pre>',
      '```ts\nconst a = 1 < 2;\n  b();\n```',
    ],
    ['<pre>```\nx</pre>', '````\n```\nx\n````'],
    ['<a href="/x"><h2>Title</h2><p>Teaser</p></a>', '## Title\n\nTeaser'],
  ])('%j', (html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe('inline', () => {
  test.each([
    ['<a href="other.html">a <em>b</em></a>', '[a *b*](https://example.org/docs/other.html)'],
    ['see<a href="https://x.org/a_(b)"> here </a>now', 'see [here](https://x.org/a_%28b%29) now'],
    ['<a href="#part">part</a> <a href="javascript:alert(1)">run</a>', 'part run'],
    ['use <code>a`b</code> and <kbd> x </kbd>!', 'use ``a`b`` and `x` !'],
    ['<img src="/i.png" alt="A chart"><img src="/spacer.gif">', '![A chart](https://example.org/i.png)'],
    ['<img alt=x src="data:image/png;base64,AAAA">', ''],
    ['a<b> bold </b>c', 'a **bold** c'],
    ['1 < 2 & 3 > 2 &amp; &copy; &#8364; &#x1F600; &#128; &bogus;', '1 < 2 & 3 > 2 & © € 😀 € &bogus;'],
  ])('%j', (html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe('tables', () => {
  test('of data become Markdown tables', () => {
    const html = '<table><thead><tr><th>Name<th>Value</thead><tr><td>a|b<td><b>1</b><br>2<tr><td>c</table>';
    expect(markdownOf(html)).toBe('| Name | Value |\n| --- | --- |\n| a\\|b | **1** 2 |\n| c |  |');
  });

  test('without headings get an empty one', () => {
    expect(markdownOf('<table><tr><td>a<td>b<tr><td>c<td>d</table>')).toBe(
      '|  |  |\n| --- | --- |\n| a | b |\n| c | d |',
    );
  });

  test('that only lay out a page are read as its text', () => {
    expect(markdownOf('<table><tr><td><p>left</p><td><table><tr><td>right</table></table>')).toBe(
      'left\n\nright',
    );
  });
});

describe('what is left out', () => {
  test.each([
    ['scripts', '<script>var a = "<p>no</p>";</script>'],
    ['styles', '<style>p { color: red }</style>'],
    ['comments', '<!-- no <p>no</p> -->'],
    ['templates', '<template><p>no</p></template>'],
    ['hidden elements', '<p hidden>no</p><div aria-hidden="true">no</div>'],
    [
      'elements made invisible',
      '<p style="color:red; display: none">no</p><span style="font-size:0">no</span>',
    ],
    ['navigation', '<nav><a href="/">no</a></nav><footer>no</footer>'],
    ['forms', '<select><option>no</select><button>no</button><textarea>no</textarea>'],
    ['a script that never ends', '<script>no'],
  ])('%s', (_what, html) => {
    const text = 'yes '.repeat(60).trim();
    expect(markdownOf(`<p>${text}</p>${html}`)).toBe(text);
  });

  test('everything beside the main part, when that says enough', () => {
    const text = 'word '.repeat(60).trim();
    expect(markdownOf(`<body><div>menu</div><main><p>${text}</p></main><div>ads</div>`)).toBe(text);
    expect(markdownOf('<body><div>menu</div><main></main>')).toBe('menu');
  });

  test('nothing, when the page is nothing but navigation', () => {
    expect(markdownOf('<nav><p>All there is.</p></nav>')).toBe('All there is.');
  });
});

test('the title and the base address are taken from the head', () => {
  const html = '<head><title> A &amp; B\n</title><base href="https://other.org/x/"></head><a href="y">y</a>';
  expect(htmlToMarkdown(html, BASE)).toEqual({ title: 'A & B', markdown: '[y](https://other.org/x/y)' });
});

test('entities in addresses keep their meaning', () => {
  expect(markdownOf('<a href="?a=1&amp;copy=2&lt=3&ampx=4">x</a>')).toBe(
    '[x](https://example.org/docs/page.html?a=1&copy=2&lt=3&ampx=4)',
  );
});

describe('hostile pages', () => {
  test.each([
    ['deep nesting', '<div>'.repeat(100_000)],
    ['deep inline nesting', '<b>'.repeat(100_000)],
    ['stray end tags', '</p>'.repeat(200_000)],
    ['open comments', '<!--'.repeat(100_000)],
    ['open tags', '<a '.repeat(200_000)],
    ['attributes without end', `<a ${'x="'.repeat(200_000)}`],
    ['spaces and quotes', `<a ${'          " '.repeat(50_000)}>`],
    ['very many paragraphs', '<p>x'.repeat(200_000)],
    ['very many rows', `<table>${'<tr><td>a<td>b'.repeat(60_000)}`],
    ['list items', '<ul><li>'.repeat(50_000)],
    ['ampersands', '&'.repeat(500_000)],
    ['nested tables', '<table><tr><td>'.repeat(20_000)],
  ])('%s end soon', (_what, html) => {
    const started = performance.now();
    markdownOf(html);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('any text is read without a throw, and twice alike', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<table>',
        '<tr>',
        '<td>',
        '<ul>',
        '<li>',
        '<pre>',
        '<a href=x>',
        '<!--',
        '-->',
      ),
      fc.constantFrom('<script>', '</script>', '<', '>', '"', '&amp;', '&#x', '<b', ' x="', '</'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const html = pieces.join('');
        expect(markdownOf(html)).toBe(markdownOf(html));
      }),
    );
  });
});

describe('encodings', () => {
  test.each([
    ['by header', Buffer.from([0xe4, 0xf6]), 'text/html; charset=ISO-8859-1', 'äö'],
    [
      'by meta',
      Buffer.from('<meta charset="windows-1251">\xcf', 'latin1'),
      'text/html',
      '<meta charset="windows-1251">П',
    ],
    ['by byte order mark', Buffer.from([0xff, 0xfe, 0x41, 0x00]), 'text/html; charset=utf-8', 'A'],
    ['by looking', Buffer.from([0xe4, 0x93]), 'text/plain', 'ä“'],
    ['windows-1252 in full', Buffer.from([0x80, 0x92]), 'text/html; charset=iso-8859-1', '€’'],
    ['utf-8 otherwise', Buffer.from('ä'), '', 'ä'],
    ['an unknown name is ignored', Buffer.from('ä'), 'text/html; charset=klingon', 'ä'],
  ])('%s', (_how, bytes, contentType, text) => {
    expect(decodeText(bytes, contentType)).toBe(text);
  });
});

test('numbers that are no characters become the sign for that', () => {
  expect(decodeEntities('&#0;&#xD800;&#x110000;')).toBe('\ufffd\ufffd\ufffd');
});
