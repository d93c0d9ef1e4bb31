const MARK = '[redacted]';

/** Shorter "secrets" are words such as `none` or `local`: replacing them would only make a text unreadable. */
const MIN_SECRET_LENGTH = 6;

const SECRET_HEADERS =
  'authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|x-crosspoint-admin|cookie|set-cookie';

/**
 * What secrets look like when nobody told us about them. Each rule keeps enough text to see what was there, and starts
 * only where a word starts, so that a long hostile text costs linear time.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // "x-api-key": "…" and rawHeaders' "x-api-key","…", in JSON and in JSON inside a JSON string; a list as value too.
  [
    new RegExp(
      String.raw`((\\*["'])(?:${SECRET_HEADERS})\\*["']\s*[:,]\s*)` +
        String.raw`(?:\[[^\]]*\]|"(?:[^"\\]|\\.)*"|'[^']*'|(\\+["'])(?:(?!(?<!\\)\3).)*(?<!\\)\3)`,
      'gis',
    ),
    `$1$2${MARK}$2`,
  ],
  // authorization: … in plain text, to the end of the line; a placeholder such as <key> is help, not a secret.
  [
    new RegExp(
      String.raw`(?<![\w-])(${SECRET_HEADERS})(\s*[:=]\s*)(?!(?:Bearer\s+)?[<$])(?!"?\[redacted)[^\s"'\\][^"\\\r\n]*`,
      'gi',
    ),
    `$1$2${MARK}`,
  ],
  [/\b(Bearer)\s+(?=[\w.~+/=-]*[\d._~+/=-])[\w.~+/=-]{6,}/gi, `$1 ${MARK}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, MARK], // a JSON web token
  [/(?<![\w-])(sk-|xp_|crsr_|ghp_|gho_|github_pat_|xox[abp]-|AIza)[\w-]{12,}/g, `$1${MARK}`],
  [/(?<![\w-])(key_)[\da-f]{40,}/g, `$1${MARK}`], // longer than the ids of our own keys, which may be shown
  [
    /([?&;](?:[\w.-]*[_.-])?(?:api[_-]?key|apikey|key|token|secret|password|signature|sig|auth|code)=)[^&\s"'#\\]+/gi,
    `$1${MARK}`,
  ],
  // user:password@ in an address
  [/((?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/[^\s/@:"']*:)[^\s/@"']+@/gi, `$1${MARK}@`],
];

export interface Redactor {
  /** The text without known secrets and without anything that looks like one. Works on prose and on JSON. */
  redact(text: string): string;
  /** A secret learnt later, such as a refreshed access token. */
  addSecret(secret: string): void;
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const spellings = new Set<string>();
  let known: RegExp | undefined;

  function addSecret(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    for (const spelling of spellingsOf(secret)) spellings.add(spelling);
    // Longest first, so that a secret which begins with another one leaves no tail behind.
    const alternatives = [...spellings].sort((a, b) => b.length - a.length).map(escapeForRegExp);
    known = new RegExp(alternatives.join('|'), 'g');
  }

  function redact(text: string): string {
    let clean = known ? text.replace(known, MARK) : text;
    for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean;
  }

  for (const secret of secrets) addSecret(secret);
  return { redact, addSecret };
}

/** A secret as it stands in text, in JSON, in JSON inside JSON, in a URL and in a Basic header. */
function spellingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inJsonTwice = JSON.stringify(inJson).slice(1, -1);
  return [secret, inJson, inJsonTwice, encodeUri(secret), Buffer.from(secret).toString('base64')];
}

/** By way of UTF-8: a lone surrogate would make encodeURIComponent throw. */
function encodeUri(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
