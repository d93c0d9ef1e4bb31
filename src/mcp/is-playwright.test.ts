import { expect, it } from 'vitest';
import { defineServer } from './fixtures/hub-bench.ts';
import { isPlaywright } from './is-playwright.ts';

it.each([
  [defineServer('playwright', { url: 'http://127.0.0.1:1' }), {}],
  [defineServer('x', { command: 'npx', args: ['-y', '@executeautomation/playwright-mcp-server'] }), {}],
  [defineServer('x', { command: 'mcp-server-playwright' }), {}],
  [defineServer('x', { url: 'http://127.0.0.1:1' }), { name: 'Playwright' }],
  [defineServer('x', { url: 'http://127.0.0.1:1' }), { tools: ['search', 'browser_navigate'] }],
])('knows a server that drives a browser (%#)', (definition, face) => {
  expect(isPlaywright(definition, face)).toBe(true);
});

it('takes no other server for one', () => {
  expect(
    isPlaywright(defineServer('x', { command: 'npx' }), { name: 'git', tools: ['browse', 'click'] }),
  ).toBe(false);
});
