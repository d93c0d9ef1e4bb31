// The official SDK, unmodified, through the built gateway on the demo model, over both transports. Judged by what its
// executors did on disk and by the events it gives to its caller. Nothing beyond loopback can be reached, or was tried.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/program.ts';
import { runGuide, runPlay, type Stage } from './cursor-sdk/play.ts';
import { SDK_SCENARIOS } from './cursor-sdk/scenarios.ts';
import { installSdk, SDK_VERSIONS, type SdkInstallation } from './cursor-sdk/sdk-version.ts';
import { openPlace, type Place } from './support/place.ts';

/** The SDK takes the transport that our server config names, whatever its own options say. */
const WAYS = [
  { name: 'RunSSE and BidiAppend', http2: 'off' },
  { name: 'Run on HTTP/2', http2: 'auto' },
] as const;

for (const version of SDK_VERSIONS) {
  const name = `@cursor/sdk ${version.version}`;

  describe(name, () => {
    let installation: SdkInstallation = { problem: 'it was not tried' };
    const places = new Map<string, Place>();

    beforeAll(async () => {
      installation = await installSdk(version);
      if ('problem' in installation) return;
      for (const { http2 } of WAYS) places.set(http2, await openPlace([], { agent: { http2 } }));
    });

    afterAll(async () => {
      for (const place of places.values()) await place.stop();
    });

    it('works with a key of the gateway, and is told so when the key is wrong', async ({ task, skip }) => {
      task.meta.interop = { client: name, way: 'Run on HTTP/2', scenario: 'wrong key', isTall: true };
      if ('problem' in installation) return skip(installation.problem);
      const guarded = await openPlace([], { server: { auth: 'keys' } });
      try {
        const created = await guarded.gateway.command(['keys', 'create', 'sdk', '--json']);
        const { key } = JSON.parse(created.stdout) as { key: string }; // as `keys create --json` prints it
        const stage = {
          isolation: guarded.isolation,
          gatewayUrl: guarded.gateway.url,
          installation,
        };
        const play = { sends: [{ text: 'what is 6*7' }] };
        const good = await runPlay(stage, { ...play, apiKey: key });
        expect(good.sends[0]?.result, JSON.stringify(good)).toMatchObject({ status: 'finished' });
        const bad = await runPlay(stage, { ...play, apiKey: 'wrong' });
        expect(bad.error?.name, JSON.stringify(bad)).toBe('AuthenticationError');
      } finally {
        await guarded.stop();
      }
    });

    it("runs the program of the guide's page as it stands there", async ({ task, skip }) => {
      task.meta.interop = { client: name, way: 'Run on HTTP/2', scenario: 'guide', isTall: true };
      if ('problem' in installation) return skip(installation.problem);
      const place = places.get('auto');
      if (!place) throw new Error('the gateway was not started');
      const guide = await readFile(join(ROOT, 'docs/guides/cursor-sdk.md'), 'utf8');
      const program = /^```js\n([\s\S]*?)^```$/m.exec(guide)?.[1] ?? '';
      const { stdout, files } = await runGuide(
        { ...place, gatewayUrl: place.gateway.url, installation },
        program,
      );
      expect(stdout).toMatch(/completed[\s\S]*finished/);
      expect(files['hello.txt']?.trimEnd()).toBe('hello from the sdk');
    });

    for (const { name: way, http2 } of WAYS) {
      for (const scenario of SDK_SCENARIOS) {
        if (scenario.isNewerOnly && !version.isNewer) continue;
        it(`over ${way}: ${scenario.title}`, async ({ task, skip }) => {
          task.meta.interop = { client: name, way, scenario: scenario.name, isTall: true };
          if ('problem' in installation) return skip(installation.problem);
          const place = places.get(http2);
          if (!place) throw new Error('the gateway was not started');
          const { isolation, gateway } = place;
          task.meta.interop.protection = isolation.protection;

          const word = `w${randomUUID().slice(0, 8)}`;
          const stage: Stage = { isolation, gatewayUrl: gateway.url, installation };
          const seen = await runPlay(stage, scenario.play(word));

          scenario.check(seen, word);
          expect(seen.outside).toEqual([]);
          const runsOverHttp2 = seen.overHttp2.includes('/agent.v1.AgentService/Run');
          if (seen.sends.length > 0) expect(runsOverHttp2).toBe(http2 === 'auto');
        });
      }
    }
  });
}
