// Everything the README shows is run here, as it stands there.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProgramUnderTest, ROOT, runProgram, startProgram } from '../support/program.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The fenced blocks of one language, in order. */
function blocks(language: string): string[] {
  return [...README.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

/** `…` stands for whatever may differ from run to run. */
function patternOf(shown: string): RegExp {
  const escaped = shown.split('…').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(escaped.join('.*'));
}

function shell(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script], (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}

let program: ProgramUnderTest;

beforeAll(async () => {
  // What `npm start` runs, on a port of its own: the default one may be taken on the machine that runs the tests.
  program = await startProgram(['--port', '0'], { command: [process.execPath, 'scripts/start.mjs'] });
}, 60_000);
afterAll(() => program?.stop());

describe('the README', () => {
  const [start, request, test, sdk, connect] = blocks('sh');

  it('names the two commands that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(start?.trim()).toBe('npm ci && npm start');
    expect(test?.trim()).toBe('npm ci && npm test');
    expect(scripts).toMatchObject({ start: 'node scripts/start.mjs', test: 'vitest run' });
  });

  it('shows a request that gets the answer it shows, streamed', async () => {
    const script = (request ?? '').replace('http://127.0.0.1:18741', program.url);
    const answer = (await shell(script)).split('\n\n');
    const shown = (blocks('')[0] ?? '').split('\n\n').map((frame) => frame.trim());
    expect(shown.length).toBe(5);
    let from = 0;
    for (const frame of shown) {
      const found = answer.findIndex((line, index) => index >= from && patternOf(frame).test(line));
      expect(found, `not in the answer: ${frame}`).toBeGreaterThanOrEqual(from);
      from = found + 1;
    }
    expect(answer.at(-2)).toBe('data: [DONE]');
  });

  it('works without a stream as well', async () => {
    const script = (request ?? '')
      .replace('http://127.0.0.1:18741', program.url)
      .replace('"stream": true', '"stream": false');
    const completion = JSON.parse(await shell(script));
    expect(completion.choices[0].finish_reason).toBe('tool_calls');
    expect(JSON.parse(completion.choices[0].message.tool_calls[0].function.arguments)).toEqual({
      command: 'ls',
    });
  });

  it('shows a configuration that is valid', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-readme-'));
    writeFileSync(join(folder, 'crosspoint.yaml'), blocks('yaml')[0] ?? '');
    const checked = await runProgram(['models', '--json'], { home: folder, cwd: folder });
    expect(checked.stderr).not.toContain('error:');
    expect(JSON.parse(checked.stdout)).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'fast' })]),
    );
  });

  it('shows commands that exist', async () => {
    const home = mkdtempSync(join(tmpdir(), 'crosspoint-readme-'));
    const wanted =
      connect
        ?.trim()
        .replace(/^npx crosspoint /, '')
        .split(' ') ?? [];
    const printed = await runProgram(wanted, { home });
    expect(printed.code).toBe(0);
    expect(printed.stdout).toContain('18741/v1');
    for (const [, verb] of README.matchAll(/^\| `crosspoint (\w+)/gm)) {
      const help = await runProgram([verb ?? '', '--help'], { home });
      expect(help.code, verb).toBe(0);
    }
  });

  it('shows variables by which a client of Cursor’s protocol gets in', async () => {
    const exported = `${sdk?.trim()}; echo "$CURSOR_BACKEND_URL $CURSOR_API_KEY"`;
    const [url = '', key = ''] = (await shell(exported)).trim().split(' ');
    expect(url).toBe('http://127.0.0.1:18741');
    const exchanged = await fetch(`${program.url}/auth/exchange_user_api_key`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { accessToken } = (await exchanged.json()) as { accessToken: string };
    const listed = await fetch(`${program.url}/v1/models`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(await listed.json()).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: 'demo/demo' })]),
    });
  });

  it('names files that are there', () => {
    for (const [, path] of README.matchAll(/\]\(([^)#:]+)\)/g)) {
      expect(() => readFileSync(join(ROOT, path ?? '')), path).not.toThrow(/ENOENT/);
    }
  });
});
