import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { computerUse } from './computer-use.ts';
import { startLoopbackServer } from './fixtures/loopback-server.ts';
import { generateImage } from './generate-image.ts';
import {
  type ImagePort,
  imagePort,
  type ScreenAction,
  type ScreenReport,
  screenPort,
} from './media-ports.ts';
import { createOpenAiImages } from './openai-images.ts';
import { recordScreen } from './record-screen.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({});
});
afterEach(() => place.dispose());

test.each([
  [generateImage, { description: 'a cat' }],
  [computerUse, { actions: [{ type: 'screenshot' }] }],
  [recordScreen, { mode: 'start_recording' }],
])('$name without a port says what to configure, and only speaks', async (tool, args) => {
  const outcome = await place.call(tool, args);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain('MCP server');
  expect(await tool.touches(tool.args.parse(args), place.context)).toMatchObject([{ type: 'user' }]);
});

describe('generate_image', () => {
  let asked: Parameters<ImagePort['generate']>[0][];
  beforeEach(() => {
    asked = [];
    place.context.resources.set(imagePort, {
      touches: [{ type: 'host', url: 'https://images.example' }],
      generate: async (request) => {
        asked.push(request);
        return { mediaType: 'image/png', bytes: PNG };
      },
    });
  });

  test('saves the picture in assets and attaches it', async () => {
    const outcome = await place.ask(generateImage, { description: 'A red cat!', aspect_ratio: '16:9' });
    const file = path.join(place.root, 'assets/a-red-cat.png');
    expect(outcome.attachments?.file_path).toBe(file);
    expect(readFileSync(file)).toEqual(PNG);
    expect(outcome.parts).toMatchObject([{ type: 'image', source: { mediaType: 'image/png' } }]);
    expect(asked).toMatchObject([{ description: 'A red cat!', aspectRatio: '16:9', references: [] }]);
  });

  test('names the service and the file before it runs', async () => {
    const args = generateImage.args.parse({ prompt: 'cat', filename: 'cat.png' });
    expect(await generateImage.touches(args, place.context)).toEqual([
      { type: 'host', url: 'https://images.example' },
      { type: 'path', path: path.join(place.root, 'assets/cat.png'), access: 'write' },
    ]);
  });

  test('overwrites nothing', async () => {
    place.write('assets/cat.png', 'mine');
    expect(await place.call(generateImage, { description: 'x', filename: 'cat.png' })).toMatchObject({
      ok: false,
      error: { code: 'EEXIST' },
    });
    expect(readFileSync(path.join(place.root, 'assets/cat.png'), 'utf8')).toBe('mine');
    expect(asked).toEqual([]);
  });

  test('does not follow assets out of the workspace', async () => {
    const outside = path.join(place.root, '..', 'outside');
    mkdirSync(outside);
    symlinkSync(outside, path.join(place.root, 'assets'));
    expect(await place.call(generateImage, { description: 'x', filename: 'cat.png' })).toMatchObject({
      ok: false,
      error: { code: 'DENIED' },
    });
    expect(existsSync(path.join(outside, 'cat.png'))).toBe(false);
  });

  test('a file name with a folder is refused', () => {
    for (const filename of ['a/b.png', '../b.png', '..', '.hidden', 'a\\b'])
      expect(generateImage.args.safeParse({ description: 'x', filename }).success).toBe(false);
  });

  test('reference pictures are read, and must be pictures', async () => {
    place.write('notes.txt', 'text');
    expect(
      await place.call(generateImage, { description: 'x', reference_image_paths: ['notes.txt'] }),
    ).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
    expect(
      await place.call(generateImage, { description: 'x', reference_image_paths: ['none.png'] }),
    ).toMatchObject({ ok: false, error: { code: 'ENOENT' } });
  });

  test('an images service of OpenAI’s kind is asked and its answer read, without telling the key', async () => {
    let body = '';
    let answer: { status: number; text: string } = { status: 401, text: 'bad key sk-secret-1' };
    const server = await startLoopbackServer(createServer(), (request, response) => {
      body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.writeHead(answer.status).end(answer.text));
    });
    const port = createOpenAiImages({
      baseUrl: `${server.url}/v1`,
      apiKey: 'sk-secret-1',
      model: 'gpt-image-1',
    });
    place.context.resources.set(imagePort, port);
    const refused = await place.call(generateImage, { description: 'cat' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'EACCES' } });
    expect(JSON.stringify(refused)).not.toContain('sk-secret-1');
    answer = { status: 200, text: JSON.stringify({ data: [{ b64_json: PNG.toString('base64') }] }) };
    await place.ask(generateImage, { description: 'cat', aspect_ratio: '3:4' });
    expect(JSON.parse(body)).toEqual({ model: 'gpt-image-1', prompt: 'cat', n: 1, size: '1024x1536' });
    expect(server.requests[1]).toMatchObject({ path: '/v1/images/generations', method: 'POST' });
    answer = { status: 200, text: '{"data":[{"url":"https://x"}]}' };
    expect(await place.call(generateImage, { description: 'dog' })).toMatchObject({
      ok: false,
      error: { code: 'FAILED' },
    });
    await server.close();
  });
});

describe('computer_use', () => {
  let done: ScreenAction[];
  let report: ScreenReport;
  beforeEach(() => {
    done = [];
    report = { actionCount: 1 };
    place.context.resources.set(screenPort, {
      touches: [{ type: 'mcp', server: 'desktop', tool: 'act' }],
      perform: async (actions) => {
        done.push(...actions);
        return report;
      },
    });
  });

  test('takes flat steps and those of the wire', async () => {
    await place.ask(computerUse, {
      actions: [
        { type: 'click', x: 1, y: 2, count: 2 },
        { click: { coordinate: { x: 3, y: 4 }, button: 'MOUSE_BUTTON_RIGHT', count: 1 } },
        { scroll: { coordinate: { x: 0, y: 0 }, direction: 2, amount: 5 } },
        { cursorPosition: {} },
        { action: 'key', key: 'ctrl+s' },
        { wait: { duration_ms: 5 } },
      ],
    });
    expect(done).toEqual([
      { type: 'click', at: { x: 1, y: 2 }, button: 'left', count: 2 },
      { type: 'click', at: { x: 3, y: 4 }, button: 'right', count: 1 },
      { type: 'scroll', at: { x: 0, y: 0 }, direction: 'down', amount: 5 },
      { type: 'cursor_position' },
      { type: 'key', key: 'ctrl+s' },
      { type: 'wait', durationMs: 5 },
    ]);
  });

  test('gives the screenshot, or what went wrong', async () => {
    report = { actionCount: 1, screenshot: { mediaType: 'image/png', bytes: PNG }, cursor: { x: 5, y: 6 } };
    const outcome = await place.ask(computerUse, { type: 'screenshot' });
    expect(outcome.parts).toHaveLength(1);
    expect(outcome.content).toContain('The pointer is at 5, 6.');
    report = { actionCount: 0, error: 'no display' };
    expect(await place.call(computerUse, { type: 'screenshot' })).toMatchObject({
      ok: false,
      error: { code: 'FAILED', message: '0 of 1 steps were done, then: no display' },
    });
  });

  test('a step that lacks something is a fault of the arguments', () => {
    for (const action of [
      { type: 'mouse_move' },
      { type: 'type' },
      { type: 'drag', path: [] },
      { type: 'dance' },
    ])
      expect(computerUse.args.safeParse({ actions: [action] }).success).toBe(false);
  });
});

describe('record_screen', () => {
  const calls: string[] = [];
  beforeEach(() => {
    calls.length = 0;
    place.context.resources.set(screenPort, {
      touches: [],
      perform: async () => ({ actionCount: 0 }),
      recorder: {
        start: async () => {
          calls.push('start');
          return { wasPriorCancelled: true };
        },
        save: async (filename) => {
          calls.push(`save ${filename}`);
          return { path: '/films/a.webm', durationMs: 1200 };
        },
        discard: async () => void calls.push('discard'),
      },
    });
  });

  test('starts, saves and discards, whatever the spelling', async () => {
    expect((await place.ask(recordScreen, { mode: 1 })).content).toContain('was dropped');
    expect(
      (await place.ask(recordScreen, { mode: 'RECORDING_MODE_SAVE_RECORDING', filename: 'a' })).data,
    ).toEqual({
      save_success: { path: '/films/a.webm', recording_duration_ms: 1200 },
    });
    await place.ask(recordScreen, { mode: 'discard' });
    expect(calls).toEqual(['start', 'save a', 'discard']);
  });

  test('a file name with a folder is refused and the recording goes on', async () => {
    expect(await place.call(recordScreen, { mode: 'save', save_as_filename: '../x' })).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
    expect(calls).toEqual([]);
  });
});
