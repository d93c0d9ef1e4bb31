// Files that are more than their bytes: they hold secrets, or they name commands that something else will run. Names are
// compared without case, because on many disks `.GIT/Hooks` is `.git/hooks`.

/** Written as one folded, forward-slash path. */
export function foldPath(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}

const DOT_SEGMENT = /(?:^|\/)\.(?!\.?(?:\/|$))/;

/** `relative` is the path below the workspace, or the whole path when it is outside. */
export function hasDotSegment(relative: string): boolean {
  return DOT_SEGMENT.test(relative);
}

const SECRET_NAMES = [
  /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?$/,
  /\.(?:pem|key|p12|pfx|keystore|jks|kdbx)$/,
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/,
  /(?:^|\/)\.(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|yarnrc(?:\.yml)?)$/,
  /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|docker|config\/gcloud|config\/gh)\//,
  /(?:^|\/)(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|env|txt))?$/,
];

export function holdsSecrets(path: string): boolean {
  const folded = foldPath(path);
  return SECRET_NAMES.some((pattern) => pattern.test(folded));
}

const COMMAND_FILES = [
  /(?:^|\/)package(?:-lock)?\.json$/,
  /(?:^|\/)(?:npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bunfig\.toml|deno\.jsonc?)$/,
  /(?:^|\/)(?:gnu)?makefile$|\.mk$/,
  /(?:^|\/)(?:justfile|taskfile\.ya?ml|rakefile|gemfile|procfile|brewfile|vagrantfile|jenkinsfile|dockerfile)$/,
  /(?:^|\/)(?:docker-)?compose\.ya?ml$/,
  /(?:^|\/)(?:setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|conftest\.py|(?:site|user)customize\.py)$|\.pth$/,
  /(?:^|\/)(?:build\.gradle|settings\.gradle|gradle\.properties)(?:\.kts)?$|(?:^|\/)(?:pom|build)\.xml$/,
  /(?:^|\/)(?:cmakelists\.txt|meson\.build|binding\.gyp|build\.rs|cargo\.toml|lefthook\.ya?ml)$/,
  /(?:^|\/)(?:gruntfile|gulpfile)\.[cm]?[jt]s$|\.config\.(?:[cm]?[jt]s|json)$/,
  /\.code-workspace$|\.desktop$|\.service$/,
  /(?:^|\/)node_modules\//,
];

export function namesCommands(path: string): boolean {
  const folded = foldPath(path);
  return COMMAND_FILES.some((pattern) => pattern.test(folded));
}

/** What this program itself obeys: no rule opens these, a person is asked each time. */
export function isOwnFile(path: string): boolean {
  return /(?:^|\/)(?:\.crosspoint(?:\/|$)|crosspoint\.(?:ya?ml|json)$)/.test(foldPath(path));
}

const HARMLESS_DEVICES = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/zero', '/dev/urandom']);

export function isHarmlessDevice(absolute: string): boolean {
  return HARMLESS_DEVICES.has(absolute);
}
