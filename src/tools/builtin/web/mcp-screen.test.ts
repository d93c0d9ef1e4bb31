import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fail, succeed } from '../../tool-outcome.ts';
import { fakeMcp, fakeTool } from '../mcp/fixtures/fake-mcp.ts';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { computerUse } from './computer-use.ts';
import { createMcpScreen } from './mcp-screen.ts';
import { screenPort } from './media-ports.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({});
  place.context.resources.set(screenPort, createMcpScreen('web'));
});
afterEach(() => place.dispose());

const number = { type: 'number' };
const playwrightTools = [
  fakeTool('web', 'browser_mouse_click_xy', {
    inputSchema: {
      properties: { element: { type: 'string' }, x: number, y: number },
      required: ['element', 'x', 'y'],
    },
  }),
  fakeTool('web', 'browser_mouse_move_xy', { inputSchema: { properties: { x: number, y: number } } }),
  fakeTool('web', 'browser_mouse_wheel', { inputSchema: { properties: { deltaX: number, deltaY: number } } }),
  fakeTool('web', 'browser_press_key', { inputSchema: { properties: { key: { type: 'string' } } } }),
  fakeTool('web', 'browser_take_screenshot', { inputSchema: { properties: { type: { type: 'string' } } } }),
];

function screen(tools = playwrightTools) {
  return fakeMcp(place.context, tools, {
    call: async (call) => {
      calls.push([call.tool, call.args]);
      if (call.args.x === 666) return fail('FAILED', 'there is nothing');
      const source = { type: 'base64' as const, data: PNG, mediaType: 'image/png' };
      if (/screenshot/.test(call.tool + String(call.args.action)))
        return succeed('', { parts: [{ type: 'image', source }] });
      return succeed('X=12, Y=34');
    },
  });
}

let calls: unknown[] = [];
beforeEach(() => {
  calls = [];
});

describe('the screen of Playwright’s server', () => {
  it('is worked with by its tools, with the arguments that this version of it takes', async () => {
    screen();
    const outcome = await place.ask(computerUse, {
      actions: [
        { type: 'click', x: 3, y: 4, count: 2 },
        { type: 'scroll', direction: 'up', amount: 2, x: 1, y: 2 },
        { type: 'type', text: 'a\n' },
        { type: 'key', key: 'ctrl+Return' },
        { type: 'wait', duration_ms: 1 },
        { type: 'screenshot' },
      ],
    });
    expect(calls).toEqual([
      ['browser_mouse_click_xy', { element: 'the place at these coordinates', x: 3, y: 4 }],
      ['browser_mouse_move_xy', { x: 1, y: 2 }],
      ['browser_mouse_wheel', { deltaX: 0, deltaY: -200 }],
      ['browser_press_key', { key: 'a' }],
      ['browser_press_key', { key: 'Enter' }],
      ['browser_press_key', { key: 'Control+Enter' }],
      ['browser_take_screenshot', { type: 'png' }],
    ]);
    expect(outcome.content).toContain('6 steps done.');
    expect(outcome.parts).toMatchObject([{ source: { data: PNG } }]);
  });

  it('names every tool that the steps use to the policy', async () => {
    screen();
    const args = computerUse.args.parse({ actions: [{ type: 'click', x: 1, y: 1 }, { type: 'screenshot' }] });
    expect(await computerUse.touches(args, place.context)).toEqual([
      { type: 'mcp', server: 'web', tool: 'browser_mouse_click_xy' },
      { type: 'mcp', server: 'web', tool: 'browser_take_screenshot' },
    ]);
  });

  it('stops at the first step that fails and says how far it came', async () => {
    screen();
    const actions = [{ type: 'screenshot' }, { type: 'click', x: 666, y: 1 }, { type: 'screenshot' }];
    expect(await place.call(computerUse, { actions })).toMatchObject({
      error: { message: '1 of 3 steps were done, then: there is nothing' },
    });
    const drag = {
      type: 'drag',
      path: [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
    };
    expect(await place.call(computerUse, { actions: [drag] })).toMatchObject({
      error: { message: expect.stringContaining('has no tool browser_mouse_drag_xy') },
    });
    expect(await place.call(computerUse, { actions: [{ type: 'cursor_position' }] })).toMatchObject({
      error: { message: expect.stringContaining('does not tell where its pointer is') },
    });
  });
});

describe('the screen of a server with the tool computer', () => {
  it('is told its actions in their words', async () => {
    screen([fakeTool('web', 'computer', { inputSchema: {} })]);
    const outcome = await place.ask(computerUse, {
      actions: [
        { type: 'click', x: 3, y: 4, count: 2 },
        {
          type: 'drag',
          path: [
            { x: 1, y: 1 },
            { x: 2, y: 2 },
          ],
        },
        { type: 'key', key: 'ctrl+s', duration_ms: 500 },
        { type: 'mouse_down' },
        { type: 'screenshot' },
        { type: 'cursor_position' },
      ],
    });
    expect(calls).toEqual([
      ['computer', { action: 'double_click', coordinate: [3, 4] }],
      ['computer', { action: 'left_click_drag', start_coordinate: [1, 1], coordinate: [2, 2] }],
      ['computer', { action: 'hold_key', text: 'ctrl+s', duration: 0.5 }],
      ['computer', { action: 'left_mouse_down' }],
      ['computer', { action: 'screenshot' }],
      ['computer', { action: 'cursor_position' }],
    ]);
    expect(outcome.content).toContain('The pointer is at 12, 34.');
  });
});

describe('a server without a screen', () => {
  it('is named with what to do, and asks for itself as a whole', async () => {
    screen([fakeTool('web', 'find')]);
    const args = { actions: [{ type: 'screenshot' }] };
    expect(await place.call(computerUse, args)).toMatchObject({
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('--caps=vision') },
    });
    expect(await computerUse.touches(computerUse.args.parse(args), place.context)).toEqual([
      { type: 'mcp', server: 'web', tool: 'computer_use' },
    ]);
    place.context.resources.set(screenPort, createMcpScreen('nobody'));
    expect(await place.call(computerUse, args)).toMatchObject({
      error: { message: expect.stringContaining('There is no MCP server named "nobody"') },
    });
  });
});
