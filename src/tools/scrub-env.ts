// The environment for processes that a model's call starts: what programs need, without what would let them act as the
// user elsewhere. A name that sounds like a secret goes, a value that looks like one goes too, whatever its name.

export interface ScrubOptions {
  /** Names that stay although they look secret; the user's own decision. */
  readonly keep?: readonly string[];
  /** Further names that go. */
  readonly drop?: readonly string[];
}

/** Known and harmless, although a rule below would take them. */
const USUAL = new Set([
  'PATH',
  'PWD',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TERM',
  'TZ',
  'TMPDIR',
  'EDITOR',
  'DISPLAY',
  'COLORTERM',
  // Sockets of the user's agents: git over SSH needs one, and the policy judges the commands that would use it.
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_TTY',
  'DBUS_SESSION_BUS_ADDRESS',
  'TOKENIZERS_PARALLELISM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
]);

/** Parts of a name between underscores that make it a secret. */
const SECRET_PARTS = new Set([
  'AUTH',
  'AUTHORIZATION',
  'BEARER',
  'COOKIE',
  'COOKIES',
  'CREDS',
  'DSN',
  'JWT',
  'KEY',
  'KEYS',
  'PASS',
  'PASSWD',
  'PAT',
  'PSWD',
  'PWD',
  'SALT',
]);

/** Words that make it one wherever they stand. */
const SECRET_WORDS =
  /PASSWORD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CONNECTION_?STRING/;

/** Families where guessing which member is harmless is not worth it; CROSSPOINT_ is this program's own. */
const SECRET_FAMILIES = /^(?:AWS|AZURE|ARM|VAULT|OP_SESSION|ANTHROPIC|OPENAI|CURSOR|CROSSPOINT)_/;

/** Code or rules that a shell would take in before the command: what was judged would not be what runs. */
const SHELL_HOOKS =
  /^(?:BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|IFS|PS4|PROMPT_COMMAND)$/;

const SECRET_VALUES = [
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/@]*:[^\s/@]+@/i, // an address with a password in it
  /\b(?:sk|rk|pk)[-_](?:[a-z0-9]+[-_]){0,4}[A-Za-z0-9]{16,}/,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}/,
  /\bxox[abeoprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

export function scrubEnv(
  env: Readonly<Record<string, string | undefined>>,
  options: ScrubOptions = {},
): Record<string, string> {
  const keep = new Set(options.keep);
  const drop = new Set(options.drop);
  const scrubbed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || drop.has(name)) continue;
    if (keep.has(name) || !(isSecretName(name) || isSecretValue(value))) scrubbed[name] = value;
  }
  return scrubbed;
}

export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (USUAL.has(upper)) return false;
  return (
    SHELL_HOOKS.test(upper) ||
    SECRET_FAMILIES.test(upper) ||
    SECRET_WORDS.test(upper) ||
    upper.split('_').some((part) => SECRET_PARTS.has(part))
  );
}

function isSecretValue(value: string): boolean {
  return SECRET_VALUES.some((pattern) => pattern.test(value));
}
