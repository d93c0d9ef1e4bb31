import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { SHELL_LIMITS } from '../builtin/shell/shell-limits.ts';
import { createWebAccess } from '../builtin/web/web-access.ts';
import { MAX_CONTENT_CHARACTERS } from '../trim-output.ts';
import { expandHome, readToolSettings } from './tool-settings.ts';

describe('the section tools', () => {
  it('has the defaults that the tools have without it', () => {
    const { web, limits, sandbox, forges, webSearch, images } = readToolSettings(undefined);
    const { timeoutMs, maxBytes } = createWebAccess();
    expect(web).toEqual({ privateHosts: [], timeoutMs, maxBytes });
    expect(limits).toEqual({
      maxContentCharacters: MAX_CONTENT_CHARACTERS,
      maxCommandOutputBytes: SHELL_LIMITS.maxOutputBytes,
      searchBudget: 50,
    });
    expect(sandbox).toEqual({ enabled: false, allowNetwork: false, writable: [] });
    expect([forges, webSearch, images]).toEqual([[], undefined, undefined]);
  });

  it.each([
    [{ webSearch: { provider: 'searxng' } }, 'tools.webSearch needs baseUrl'],
    [{ webSearch: { provider: 'brave' } }, 'tools.webSearch needs apiKey for brave'],
    [
      { webSearch: { provider: 'gogle' } },
      'tools.webSearch.provider must be searxng, brave or tavily, not "gogle"',
    ],
    [
      { webSearch: { provider: 'tavily', apikey: 'x' } },
      'tools.webSearch.apikey is not a known key. Did you mean apiKey?',
    ],
    [
      { forges: [{ kind: 'github', host: 'https://git.test' }] },
      'tools.forges[0].host must be a bare host name',
    ],
    [
      { forges: [{ kind: 'gitea', host: 'git.test' }] },
      'tools.forges[0].kind must be github or gitlab, not "gitea"',
    ],
    [{ images: { model: 'x' } }, 'tools.images.baseUrl is missing'],
    [
      { sandbox: { writable: ['cache'] } },
      'tools.sandbox.writable[0] must be an absolute path, or begin with ~/, not "cache"',
    ],
    [{ limits: { maxContentCharacters: 5 } }, 'tools.limits.maxContentCharacters must be a whole number'],
    [{ gates: { knowledge_base: true } }, 'tools.gates.knowledge_base is not a known key'],
    [{ web: { privateHost: [] } }, 'tools.web.privateHost is not a known key. Did you mean privateHosts?'],
  ])('refuses %j and says what is wanted', (section, message) => {
    expect(() => readToolSettings(section)).toThrow(message);
  });

  it('takes the home folder in paths', () => {
    expect(expandHome('~/x')).toBe(`${homedir()}/x`);
    expect(expandHome('~other/x')).toBe('~other/x');
  });
});
