// Calls and results: one, several, failed, forbidden, demanded, and with arguments that must not change by a byte.
import { expect } from 'vitest';
import type { DemoMessage, DemoReply } from '../../../src/cli/demo/index.ts';
import type { TurnRequest } from '../../../src/core/index.ts';
import { askDirectly, callsOf } from '../reference.ts';
import { READ_TOOL, RUN_TOOL, type Scenario, user } from './scenario.ts';

const TOOLS = [READ_TOOL, RUN_TOOL];

export const TOOL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a tool call goes out and its result comes back',
    async run({ ask }) {
      const messages: DemoMessage[] = [user('Please read notes.txt')];
      const asked = await ask({ model: 'demo', messages, tools: TOOLS });
      expect(asked.finish).toBe('tool-calls');
      expect(asked.calls).toEqual([
        { id: expect.stringMatching(/\S/), name: 'read_file', argumentsText: '{"path":"notes.txt"}' },
      ]);
      messages.push(...answered(asked, ['the tide turns at noon']));
      const reply = await ask({ model: 'demo', messages, tools: TOOLS });
      expect(reply).toMatchObject({ calls: [], finish: 'stop' });
      expect(reply.text).toContain('the tide turns at noon');
    },
  },
  {
    name: 'two calls at once both get their own results',
    async run({ ask }) {
      const messages: DemoMessage[] = [user('Please read notes.txt and run `date`')];
      const asked = await ask({ model: 'demo', messages, tools: TOOLS });
      expect(asked.calls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual([
        ['read_file', '{"path":"notes.txt"}'],
        ['run_command', '{"command":"date"}'],
      ]);
      expect(new Set(asked.calls.map(({ id }) => id)).size).toBe(2);
      messages.push(...answered(asked, ['the tide turns at noon', 'Thursday']));
      const reply = await ask({ model: 'demo', messages, tools: TOOLS });
      expect(reply).toMatchObject({ calls: [], finish: 'stop' });
      expect(reply.text).toMatch(/read_file[\s\S]*the tide turns at noon[\s\S]*run_command[\s\S]*Thursday/);
    },
  },
  {
    name: 'five calls with interleaved arguments stay apart',
    async run({ ask }) {
      const reply = await ask({ model: 'parallel', messages: [user('north south')], tools: TOOLS });
      const expected = callsOf(await askDirectly(canonical('parallel', 'north south')));
      expect(reply.calls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual(
        expected.map(({ name, argumentsText }) => [name, argumentsText]),
      );
      expect(reply.calls).toHaveLength(5);
      expect(reply.finish).toBe('tool-calls');
    },
  },
  {
    name: 'one call at a time when the client wants no more',
    async run({ ask }) {
      const messages = [user('north south')];
      const reply = await ask({ model: 'parallel', messages, tools: TOOLS, isSequential: true });
      expect(reply.calls).toHaveLength(1);
    },
  },
  {
    name: 'a thinking model gets through a tool turn although the client forgets its thoughts',
    async run({ ask }) {
      const messages: DemoMessage[] = [user('Please read notes.txt')];
      const options = { model: 'demo', tools: TOOLS, showsReasoning: true, maxTokens: 4096 };
      const asked = await ask({ ...options, messages });
      expect(asked.reasoning).toContain('read_file');
      messages.push(...answered(asked, ['the tide turns at noon']));
      const reply = await ask({ ...options, messages });
      expect(reply.text).toContain('the tide turns at noon');
    },
  },
  {
    name: 'the model hears that a tool has failed',
    async run({ ask }) {
      const messages: DemoMessage[] = [user('Please read secret.txt')];
      const asked = await ask({ model: 'demo', messages, tools: TOOLS });
      messages.push(...answered(asked, ['Error: permission denied: secret.txt']));
      const reply = await ask({ model: 'demo', messages, tools: TOOLS, hasFailed: true });
      expect(reply.text).toMatch(/failed|looks like an error/);
      expect(reply.text).toContain('permission denied: secret.txt');
    },
  },
  {
    name: 'no tool is called when none may be',
    async run({ ask }) {
      const messages = [user('Please read notes.txt')];
      const reply = await ask({ model: 'demo', messages, tools: TOOLS, toolChoice: 'none' });
      expect(reply).toMatchObject({ calls: [], finish: 'stop' });
    },
  },
  {
    name: 'some tool is called when one must be',
    async run({ ask }) {
      const reply = await ask({
        model: 'demo',
        messages: [user('hello')],
        tools: TOOLS,
        toolChoice: 'required',
      });
      expect(reply.calls).toHaveLength(1);
      expect(reply.finish).toBe('tool-calls');
    },
  },
  {
    name: 'the tool that was named is called',
    async run({ ask }) {
      const toolChoice = { name: 'run_command' };
      const reply = await ask({ model: 'demo', messages: [user('hello')], tools: TOOLS, toolChoice });
      expect(reply.calls.map(({ name }) => name)).toEqual(['run_command']);
    },
  },
  {
    name: 'arguments in every script arrive byte for byte, and again as history',
    async run({ ask }) {
      const messages: DemoMessage[] = [user('hello')];
      const asked = await ask({ model: 'unicode', messages, tools: [READ_TOOL] });
      const [call] = callsOf(await askDirectly(canonical('unicode', 'hello')));
      expect(call?.argumentsText).toContain('👩🏽‍💻');
      expect(asked.calls.map(({ argumentsText }) => argumentsText)).toEqual([call?.argumentsText]);
      messages.push(...answered(asked, ['fine']));
      const { text } = await ask({ model: 'echo', messages, tools: [READ_TOOL] });
      expect(JSON.parse(text).messages.at(-2).parts).toContainEqual(
        expect.objectContaining({ type: 'tool-call', characters: call?.argumentsText.length }),
      );
    },
  },
  {
    name: 'a tool that takes free text is called with free text',
    async run({ ask }) {
      const reply = await ask({ model: 'unicode', messages: [user('hello')], customTool: 'apply_patch' });
      const tools = [{ kind: 'custom' as const, name: 'apply_patch' }];
      const [call] = callsOf(await askDirectly({ ...canonical('unicode', 'hello'), tools }));
      expect(reply.calls).toEqual([
        { id: expect.stringMatching(/\S/), name: 'apply_patch', argumentsText: call?.argumentsText },
      ]);
      expect(reply.finish).toBe('tool-calls');
    },
  },
  {
    name: 'a call without arguments is still a call',
    async run({ ask }) {
      const messages: DemoMessage[] = [user('hello')];
      const asked = await ask({ model: 'empty-arguments', messages, tools: [READ_TOOL] });
      expect(asked.calls.map(({ name, argumentsText }) => [name, argumentsText || '{}'])).toEqual([
        ['read_file', '{}'],
      ]);
      messages.push(...answered(asked, ['fine']));
      const reply = await ask({ model: 'empty-arguments', messages, tools: [READ_TOOL] });
      expect(reply.text).toContain('is over: 1 calls, 0 of them without a good result');
    },
  },
  {
    name: 'a megabyte of arguments arrives whole',
    async run({ ask }) {
      const maxTokens = 1_000_000; // the Messages dialect always has a limit, and its usual one is lower
      const messages = [user('hello')];
      const { calls } = await ask({ model: 'huge-arguments', messages, tools: [READ_TOOL], maxTokens });
      const [call] = callsOf(await askDirectly(canonical('huge-arguments', 'hello')));
      expect(calls).toHaveLength(1);
      expect(calls[0]?.argumentsText === call?.argumentsText).toBe(true);
    },
  },
];

/** The model's answer and the results of its calls, as the next messages. */
function answered(reply: DemoReply, contents: readonly string[]): DemoMessage[] {
  const results = reply.calls.map(({ id }, index) => ({ callId: id, content: contents[index] ?? '' }));
  return [
    { from: 'model', reply },
    { from: 'tools', results },
  ];
}

function canonical(model: string, text: string): Partial<TurnRequest> {
  const tools = (model === 'parallel' ? TOOLS : [READ_TOOL]).map((tool) => ({
    kind: 'function' as const,
    ...tool,
  }));
  return { model, messages: [{ role: 'user', content: [{ type: 'text', text }] }], tools };
}
