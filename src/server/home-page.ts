import type { Route } from './router.ts';

const LINKS = [
  ['/v1/models', 'models'],
  ['/openapi.json', 'API description'],
  ['/healthz', 'health'],
  ['/metrics', 'metrics'],
] as const;

/** What somebody sees who opens the address in a browser, or calls it by hand. */
export function createHomeRoute(options: { readonly version: string }): Route {
  const text = `Crosspoint ${options.version}: any coding agent on any model.
Point an OpenAI-compatible client at /v1 of this address.
${LINKS.map(([path, name]) => `${path}  ${name}`).join('\n')}
`;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Crosspoint</title>
<h1>Crosspoint ${options.version}</h1><p>Any coding agent on any model. Point an OpenAI-compatible client at
<code>/v1</code> of this address.</p>
<ul>${LINKS.map(([path, name]) => `<li><a href="${path}">${name}</a></li>`).join('')}</ul></html>
`;
  return {
    method: 'GET',
    path: '/',
    doc: { summary: 'What this is, with links', tag: 'health', auth: 'none', contentType: 'text/html' },
    handle(exchange) {
      if (exchange.headers.accept?.includes('text/html') !== true) {
        exchange.sendBytes(200, text, { 'content-type': 'text/plain; charset=utf-8' });
        return;
      }
      exchange.sendBytes(200, html, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    },
  };
}
