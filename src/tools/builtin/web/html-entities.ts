import { decodeWindows1252 } from './windows-1252.ts';

/** The entities that pages really use; the rest of HTML's two thousand stays as it is written. */
const NAMED = new Map<string, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ...inOrder(
    160,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ),
  ...inOrder(
    913,
    'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega',
  ),
  ...inOrder(
    945,
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega',
  ),
  ['OElig', 'Œ'],
  ['oelig', 'œ'],
  ['Scaron', 'Š'],
  ['scaron', 'š'],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', ' '],
  ['zwnj', ''],
  ['zwj', '\u200d'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['sbquo', '‚'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bdquo', '„'],
  ['dagger', '†'],
  ['bull', '•'],
  ['hellip', '…'],
  ['permil', '‰'],
  ['prime', '′'],
  ['lsaquo', '‹'],
  ['rsaquo', '›'],
  ['euro', '€'],
  ['trade', '™'],
  ['larr', '←'],
  ['uarr', '↑'],
  ['rarr', '→'],
  ['darr', '↓'],
  ['harr', '↔'],
  ['rArr', '⇒'],
  ['hArr', '⇔'],
  ['forall', '∀'],
  ['part', '∂'],
  ['exist', '∃'],
  ['empty', '∅'],
  ['isin', '∈'],
  ['notin', '∉'],
  ['sum', '∑'],
  ['minus', '−'],
  ['radic', '√'],
  ['infin', '∞'],
  ['and', '∧'],
  ['or', '∨'],
  ['cap', '∩'],
  ['cup', '∪'],
  ['int', '∫'],
  ['sim', '∼'],
  ['asymp', '≈'],
  ['ne', '≠'],
  ['equiv', '≡'],
  ['le', '≤'],
  ['ge', '≥'],
  ['check', '✓'],
  ['lbrace', '{'],
  ['rbrace', '}'],
  ['lbrack', '['],
  ['rbrack', ']'],
  ['lpar', '('],
  ['rpar', ')'],
  ['grave', '`'],
  ['num', '#'],
  ['excl', '!'],
  ['colon', ':'],
  ['comma', ','],
  ['period', '.'],
  ['sol', '/'],
  ['bsol', '\\'],
  ['ast', '*'],
  ['lowbar', '_'],
  ['vert', '|'],
  ['dollar', '$'],
  ['percnt', '%'],
  ['equals', '='],
  ['plus', '+'],
  ['Tab', '\t'],
  ['NewLine', '\n'],
]);

function inOrder(from: number, names: string): [string, string][] {
  return names.split(' ').map((name, index) => [name, String.fromCodePoint(from + index)]);
}

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#[xX]([\da-fA-F]{1,6})|#(\d{1,7})|([A-Za-z][A-Za-z\d]{1,31}))(?:;|(?![A-Za-z\d=]))/g,
    (whole, hex, decimal, name) => {
      if (hex !== undefined) return character(Number.parseInt(hex, 16));
      if (decimal !== undefined) return character(Number(decimal));
      // Old pages leave the semicolon out; for names that are also words (`&copy_id=`) that would damage addresses.
      if (!whole.endsWith(';') && !/^(?:amp|lt|gt|quot|nbsp)$/.test(name)) return whole;
      return NAMED.get(name) ?? whole;
    },
  );
}

/** Numbers from 128 to 159 mean windows-1252, as in browsers. */
function character(code: number): string {
  if (code >= 128 && code < 160) return decodeWindows1252(Buffer.from([code]));
  const isValid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isValid ? String.fromCodePoint(code) : '\ufffd';
}
