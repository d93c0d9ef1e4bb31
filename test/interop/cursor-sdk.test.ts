// The official SDK, unmodified, through the built gateway on the demo model, over both transports. Judged by what its
// executors did on disk and by the events it gives to its caller. Nothing beyond loopback can be reached, or was tried.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/program.ts';
import { runGuide, runPlay, type Stage } from './cursor-sdk/play.ts';
import { SDK_SCENARIOS } from './cursor-sdk/scenarios.ts';
import { installSdk, SDK_VERSIONS, type SdkInstallation } from './cursor-sdk/sdk-version.ts';
import { openPlace, type Place } from './support/place.ts';

/** The SDK takes the transport that our server config names, whatever its own options say. */
const WAYS = [
  { name: 'RunSSE and BidiAppend', agent: { http2: 'off' }, isHttp2: false },
  { name: 'Run on HTTP/2', agent: { http2: 'auto' }, isHttp2: true },
  { name: 'Run with TLS', agent: { http2: 'auto' }, isHttp2: true, scenarios: ['text', 'shell', 'memory'] },
];

for (const version of SDK_VERSIONS) {
  const name = `@cursor/sdk ${version.version}`;

  describe(name, () => {
    let installation: SdkInstallation = { problem: 'it was not tried' };
    const places = new Map<string, Place>();
    const certificates = mkdtempSync(join(tmpdir(), 'crosspoint-interop-tls-'));

    beforeAll(async () => {
      installation = await installSdk(version);
      if ('problem' in installation) return;
      for (const { name: way, agent } of WAYS) {
        const server = way === 'Run with TLS' ? { tls: makeCertificate(certificates) } : {};
        places.set(way, await openPlace([], { agent, server }));
      }
    });

    afterAll(async () => {
      for (const place of places.values()) await place.stop();
      rmSync(certificates, { recursive: true, force: true });
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
      const place = places.get('Run on HTTP/2');
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

    for (const { name: way, isHttp2, scenarios } of WAYS) {
      for (const scenario of SDK_SCENARIOS) {
        if (scenario.isNewerOnly && !version.isNewer) continue;
        if (scenarios && !scenarios.includes(scenario.name)) continue;
        it(`over ${way}: ${scenario.title}`, async ({ task, skip }) => {
          task.meta.interop = { client: name, way, scenario: scenario.name, isTall: true };
          if ('problem' in installation) return skip(installation.problem);
          const place = places.get(way);
          if (!place) throw new Error('the gateway was not started');
          const { isolation, gateway } = place;
          task.meta.interop.protection = isolation.protection;

          const word = `w${randomUUID().slice(0, 8)}`;
          const certificate = gateway.url.startsWith('https:') ? join(certificates, 'cert.pem') : undefined;
          const stage: Stage = { isolation, gatewayUrl: gateway.url, installation, certificate };
          const seen = await runPlay(stage, scenario.play(word));

          scenario.check(seen, word);
          expect(seen.outside).toEqual([]);
          const runsOverHttp2 = seen.overHttp2.includes('/agent.v1.AgentService/Run');
          if (seen.sends.length > 0) expect(runsOverHttp2).toBe(isHttp2);
        });
      }
    }
  });
}

function makeCertificate(folder: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1';
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { cert, key };
}
