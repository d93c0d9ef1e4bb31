import type { Ansi } from './ansi.ts';
import type { StartedGateway } from './context.ts';
import type { Settings } from './load-settings.ts';

export interface BannerParts {
  readonly gateway: StartedGateway;
  readonly settings: Settings;
  readonly version: string;
  readonly ansi: Ansi;
}

/** The gateway is up already; a slow upstream must not hold back the news. */
const MODELS_TIMEOUT_MS = 1_500;
const SHOWN_MODELS = 4;

export async function formatBanner({ gateway, settings, version, ansi }: BannerParts): Promise<string> {
  const { config, file, isDiscovered, notices } = settings;
  const upstreams = Object.entries(config.upstreams);
  const width = Math.max(...upstreams.map(([name]) => name.length));
  const upstreamLines = upstreams.map(([name, { kind, baseUrl }]) =>
    [name.padEnd(width), kind, baseUrl === undefined ? '' : ansi.dim(withoutCredentials(baseUrl))]
      .join('  ')
      .trimEnd(),
  );
  const rows: (readonly [label: string, lines: readonly string[]])[] = [
    [
      'Config',
      [file ?? `none${isDiscovered ? ' (upstreams were found in the environment and on loopback)' : ''}`],
    ],
    ['Upstreams', upstreamLines],
    ['Models', [await formatModels(gateway)]],
    [
      'Keys',
      [
        config.server.auth === 'keys'
          ? 'required; make one with `crosspoint keys create NAME`'
          : 'not required',
      ],
    ],
    ['Admin', ['`crosspoint status` shows the token of the admin API']],
  ];
  const table = rows.flatMap(([label, lines]) =>
    lines.map((line, index) => `  ${ansi.dim((index === 0 ? label : '').padEnd(10))} ${line}`),
  );
  return [
    `${ansi.bold('Crosspoint')} ${version}  ${ansi.cyan(gateway.url)}`,
    '',
    ...table,
    ...notices.map((notice) => `\n  ${ansi.yellow('!')} ${notice}`),
    '',
    '  Try it:',
    ...formatCurl(gateway.url, config.default ?? 'demo/demo', config.server.auth === 'keys'),
    '',
    `  Then: crosspoint connect opencode ${ansi.dim('(or codex, claude-code, cline, …)')}. Ctrl-C stops the gateway.`,
    '',
    '',
  ].join('\n');
}

export function formatCurl(url: string, model: string, needsKey: boolean): string[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello! Who are you?' }] });
  return [
    `    curl ${url}/v1/chat/completions \\`,
    ...(needsKey ? ['      -H "authorization: Bearer $CROSSPOINT_API_KEY" \\'] : []),
    "      -H 'content-type: application/json' \\",
    `      -d '${body.replaceAll("'", "'\\''")}'`,
  ];
}

async function formatModels(gateway: StartedGateway): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, MODELS_TIMEOUT_MS, undefined);
  });
  const models = await Promise.race([gateway.models().catch(() => undefined), timeout]);
  clearTimeout(timer);
  if (!models) return 'still asking the upstreams; `crosspoint models` lists them';
  const shown = models.slice(0, SHOWN_MODELS).map(({ id }) => id);
  const rest = models.length - shown.length;
  return rest > 0
    ? `${shown.join(', ')} and ${rest} more (\`crosspoint models\`)`
    : shown.join(', ') || 'none';
}

export function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href.replace(/\/$/, '');
}
