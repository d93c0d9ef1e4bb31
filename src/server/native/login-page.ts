// The page behind the browser login of native clients. One form, no script: it works under the strictest policy.
import type { ResponseHeaders } from '../exchange.ts';

export interface LoginPage {
  readonly title: string;
  /** Sentences; plain text. */
  readonly lines: readonly string[];
  readonly form?: LoginForm;
}

export interface LoginForm {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly asksForKey: boolean;
}

export const LOGIN_PAGE_HEADERS: ResponseHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  // Not `no-referrer`: the form would then come from the origin `null`, which is refused as a stranger's.
  'referrer-policy': 'same-origin',
};

export function renderLoginPage({ title, lines, form }: LoginPage): string {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Crosspoint</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 15vh auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
input, button { font: inherit; padding: .5rem .75rem; border-radius: .4rem; border: 1px solid #8888; }
input { width: 100%; box-sizing: border-box; margin: .25rem 0 1rem; }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs}
${form ? renderForm(form) : ''}
</main>
</body>
</html>
`;
}

function renderForm({ action, hidden, asksForKey }: LoginForm): string {
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const key = asksForKey
    ? '<label>Gateway key<br><input type="password" name="key" autocomplete="off" required autofocus></label>'
    : '';
  return `<form method="post" action="${escapeHtml(action)}">
${fields.join('\n')}
${key}
<button type="submit">Log in</button>
</form>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
