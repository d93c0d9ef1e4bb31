import { join } from 'node:path';
import { expect } from 'vitest';
import type { Play, PlaySeen, SeenMessage, SeenSend } from './play.ts';

/** A wish to the demo model through the SDK, and what must have come of it on disk or in the SDK's events. */
export interface SdkScenario {
  readonly name: string;
  /** As a sentence about the SDK. */
  readonly title: string;
  /** Left out for versions that end a run when its connection breaks, or lack the option. */
  readonly isNewerOnly?: boolean;
  /** `word` is fresh for each run, so that no text can be there by chance. */
  play(word: string): Play;
  check(seen: PlaySeen, word: string): void;
}

const one = (text: string, files: Readonly<Record<string, string>> = {}): Play => ({
  sends: [{ text }],
  files,
});

/** Shown by a failed assertion. */
const show = (seen: PlaySeen) => JSON.stringify(seen, null, 1).slice(-6000);

function finished(seen: PlaySeen, index = 0): SeenSend {
  const send = seen.sends[index];
  expect(send?.result.status, show(seen)).toBe('finished');
  if (send === undefined) throw new Error('unreachable: the status was compared');
  return send;
}

/** The last message about a call of this kind, which must be its good end. */
function calledTool(seen: PlaySeen, name: string): SeenMessage {
  const calls = finished(seen).messages.filter(
    (message) => message.type === 'tool_call' && message.name === name,
  );
  expect(calls.map(({ status }) => status).at(-1), show(seen)).toBe('completed');
  const last = calls.at(-1);
  if (last === undefined) throw new Error('unreachable: the status was compared');
  return last;
}

const NESTED = { list: [1, 'zwei', null], inner: { ключ: true } };

export const SDK_SCENARIOS: readonly SdkScenario[] = [
  {
    name: 'text',
    title: 'streams text',
    play: () => one('what is 6*7'),
    check: (seen) => {
      const { result, messages, deltas } = finished(seen);
      expect(result.result).toContain('6*7 = 42');
      expect(messages.filter(({ type }) => type === 'assistant').length).toBeGreaterThan(0);
      expect(deltas.map(({ type }) => type)).toContain('turn-ended');
    },
  },
  {
    name: 'thinking',
    title: 'shows what the model thinks',
    play: () => ({ ...one('what is 6*7'), model: 'demo/reasoning' }),
    check: (seen) => {
      const thinking = finished(seen).messages.filter(({ type }) => type === 'thinking');
      expect(thinking.map(({ text }) => text).join(''), show(seen)).toContain('My rules are fixed');
      expect(finished(seen).result.result).not.toContain('My rules are fixed');
    },
  },
  {
    name: 'read',
    title: 'reads a file and answers with what it holds',
    play: (word) => one('read notes.txt', { 'notes.txt': `The word is ${word}.\n` }),
    check: (seen, word) => {
      expect(finished(seen).result.result, show(seen)).toContain(word);
      calledTool(seen, 'read');
    },
  },
  {
    name: 'write',
    title: 'writes a file in a folder that is not there yet',
    play: (word) => one(`create deep/hello.txt with ${word}`),
    check: (seen, word) => {
      expect(seen.files['deep/hello.txt']?.trimEnd(), show(seen)).toBe(word);
    },
  },
  {
    name: 'edit',
    title: 'edits a file and shows it as an edit',
    play: (word) => one(`replace apple with ${word} in fruit.txt`, { 'fruit.txt': 'pear\napple\nplum\n' }),
    check: (seen, word) => {
      expect(seen.files['fruit.txt'], show(seen)).toBe(`pear\n${word}\nplum\n`);
      calledTool(seen, 'edit');
    },
  },
  {
    name: 'delete',
    title: 'deletes a file',
    play: () => one('delete old.txt', { 'old.txt': 'old', 'kept.txt': 'kept' }),
    check: (seen) => {
      expect(Object.keys(seen.files), show(seen)).toEqual(['kept.txt']);
      calledTool(seen, 'delete');
    },
  },
  {
    name: 'ls',
    title: 'lists a folder',
    play: (word) => one('list the files in sub', { [`sub/${word}.txt`]: '', 'other.txt': '' }),
    check: (seen, word) => {
      expect(finished(seen).result.result, show(seen)).toContain(`${word}.txt`);
      calledTool(seen, 'ls');
    },
  },
  {
    name: 'grep',
    title: 'searches in files',
    play: (word) =>
      one(`search for ${word}`, { 'src/a.ts': `one\nconst x = '${word}';\n`, 'src/b.ts': 'two\n' }),
    check: (seen, word) => {
      const { result } = finished(seen);
      expect(result.result, show(seen)).toContain('src/a.ts');
      expect(result.result).toContain(`const x = '${word}';`);
      expect(result.result).not.toContain('src/b.ts');
      calledTool(seen, 'grep');
    },
  },
  {
    name: 'glob',
    title: 'finds files by their names',
    play: (word) => one('find files named *.md', { [`docs/${word}.md`]: '# x\n', 'docs/a.txt': 'x\n' }),
    check: (seen, word) => {
      const { result } = finished(seen);
      expect(result.result, show(seen)).toContain(`docs/${word}.md`);
      expect(result.result).not.toContain('a.txt');
      calledTool(seen, 'glob');
    },
  },
  {
    name: 'shell',
    title: 'runs a command in the workspace',
    play: (word) => one(`run echo ${word} | tee marker.txt && pwd > place.txt`),
    check: (seen, word) => {
      expect(seen.files['marker.txt']?.trim(), show(seen)).toBe(word);
      expect(seen.files['place.txt']?.trim()).toMatch(/\/work$/);
      expect(finished(seen).result.result).toContain(word);
      calledTool(seen, 'shell');
    },
  },
  {
    name: 'failing',
    title: 'hands a command that fails to the model',
    play: () => one('run exit 3'),
    check: (seen) => expect(finished(seen).result.result, show(seen)).toContain('exit code 3'),
  },
  {
    name: 'sequence',
    title: 'goes round twice in one turn',
    play: (word) => one(`create first.txt with ${word} then run cp first.txt second.txt`),
    check: (seen, word) => {
      finished(seen);
      expect(seen.files['second.txt']?.trimEnd(), show(seen)).toBe(word);
    },
  },
  {
    name: 'custom',
    title: "calls the caller's own tool, nested arguments intact, once",
    play: (word) => ({
      ...one(`call stamp with ${JSON.stringify({ word, nested: NESTED })}`),
      hasCustomTools: true,
    }),
    check: (seen, word) => {
      expect(finished(seen).result.result, show(seen)).toContain(`stamped ${word} for a call`);
      const lines = (seen.files['stamps.txt'] ?? '').trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual([{ word, nested: NESTED }]);
    },
  },
  {
    name: 'mcp',
    title: 'calls a tool of an MCP server it started',
    play: (word) => ({
      ...one(`call book with ${JSON.stringify({ entry: word, amount: 12.5 })}`),
      mcpServers: (work) => ({
        ledger: {
          command: process.execPath,
          args: [join(import.meta.dirname, 'mcp-server.mjs'), join(work, 'ledger.txt')],
        },
      }),
    }),
    check: (seen, word) => {
      expect(finished(seen).result.result, show(seen)).toContain(`booked ${word}`);
      expect(seen.files['ledger.txt']).toBe(`${word}=12.5\n`);
      calledTool(seen, 'mcp');
    },
  },
  {
    name: 'todos',
    title: 'shows the to-do list of the model',
    play: (word) => one(`add todos: ${word}, wash the car`),
    check: (seen, word) => {
      const call = calledTool(seen, 'updateTodos');
      expect(JSON.stringify(call), show(seen)).toContain(word);
      expect(JSON.stringify(call)).toContain('wash the car');
    },
  },
  {
    name: 'memory',
    title: 'remembers an earlier send, also in a resumed agent',
    play: (word) => ({
      sends: [
        { text: `run echo ${word}` },
        { text: 'and now?', options: { model: { id: 'demo/echo' } } },
        { text: 'and then?', options: { model: { id: 'demo/echo' } }, isResumed: true },
      ],
    }),
    check: (seen) => {
      finished(seen, 0);
      const roles = (index: number) => {
        const request = JSON.parse(finished(seen, index).result.result ?? '') as EchoedRequest; // demo/echo writes it
        return request.messages.filter(({ role }) => role !== 'system').map(({ role }) => role);
      };
      expect(roles(1), show(seen)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
      expect(roles(2)).toEqual([...roles(1), 'assistant', 'user']);
    },
  },
  {
    name: 'image',
    title: 'sends an image along',
    play: () => ({
      model: 'demo/echo',
      sends: [{ text: 'look', images: [{ data: PIXEL, mimeType: 'image/png' }] }],
    }),
    check: (seen) => {
      expect(finished(seen).result.result, show(seen)).toContain('"type": "image"');
    },
  },
  {
    name: 'cancel',
    title: 'cancels, and can be asked again',
    play: () => ({
      model: 'demo/slow',
      sends: [
        { text: 'who are you', cancelAt: 'assistant' },
        // `force`, because 1.0.18 may hold itself busy after it has reset the stream.
        { text: 'what is 6*7', options: { local: { force: true } } },
      ],
    }),
    check: (seen) => {
      expect(seen.sends[0]?.result.status, show(seen)).toBe('cancelled');
      expect(finished(seen, 1).result.result).toContain('6*7 = 42');
    },
  },
  {
    name: 'reconnect',
    title: 'goes on after its connections were cut, and does nothing twice',
    isNewerOnly: true,
    play: (word) => ({
      model: 'demo/slow',
      sends: [
        {
          text: `run echo one ${word} >> log.txt then run echo two ${word} >> log.txt`,
          cutAt: 'tool_call completed',
        },
      ],
    }),
    check: (seen, word) => {
      finished(seen);
      expect(seen.cuts).toBe(1);
      expect(seen.files['log.txt'], show(seen)).toBe(`one ${word}\ntwo ${word}\n`);
    },
  },
  {
    name: 'steer',
    title: 'says something to a run that works, and it is heard',
    isNewerOnly: true,
    play: (word) => ({ sends: [{ text: 'run sleep 1', steerWith: `reply with ${word}` }] }),
    check: (seen, word) => {
      expect(finished(seen).steered, show(seen)).toBe('complete_delivered');
      expect(finished(seen).result.result).toContain(word);
    },
  },
  {
    name: 'sub-agent',
    title: "runs a sub-agent of the caller's with the model of the run",
    play: (word) => ({
      ...one(
        `call task with ${JSON.stringify({ description: 'say', prompt: `run echo ${word}`, subagent_type: 'helper' })}`,
      ),
      options: { agents: { helper: { description: 'Helps.', prompt: 'You help.' } } },
    }),
    check: (seen, word) => {
      expect(finished(seen).result.result, show(seen)).toContain(word);
      calledTool(seen, 'task');
    },
  },
  {
    name: 'allowed tools',
    title: 'restricts the tools that the model sees',
    isNewerOnly: true,
    play: () => ({ ...one('what tools do you have'), options: { tools: ['read', 'ls'] } }),
    check: (seen) => {
      expect(finished(seen).result.result, show(seen)).toMatch(/`read_file`/);
      expect(finished(seen).result.result).not.toMatch(/`(?:run_terminal_command|write|delete_file)`/);
    },
  },
  {
    name: 'system prompt',
    title: "replaces the gateway's system prompt",
    isNewerOnly: true,
    play: () => ({ ...one('hello'), model: 'demo/echo', options: { systemPrompt: 'Be terse.' } }),
    check: (seen) => {
      const request = JSON.parse(finished(seen).result.result ?? '') as EchoedRequest; // demo/echo writes it
      expect(request.messages[0], show(seen)).toMatchObject({ role: 'system', parts: [{ characters: 9 }] });
    },
  },
  {
    name: 'plan mode',
    title: 'changes nothing in plan mode',
    play: (word) => ({ sends: [{ text: `create plan.txt with ${word}`, options: { mode: 'plan' } }] }),
    check: (seen) => {
      finished(seen);
      expect(seen.files, show(seen)).toEqual({});
    },
  },
  {
    name: 'models',
    title: 'lists the models and tells who asks',
    play: () => ({ sends: [], listsModels: true }),
    check: (seen) => {
      expect(seen.error, show(seen)).toBeUndefined();
      const model = seen.models?.find(({ id }) => id === 'demo/demo');
      expect(model?.displayName).toEqual(expect.any(String));
      expect(seen.me?.apiKeyName).toEqual(expect.any(String));
    },
  },
  {
    name: 'unknown model',
    title: 'is told which models there are when it asks for another',
    play: () => ({ ...one('hello'), model: 'no/such-model' }),
    check: (seen) => {
      expect(seen.error?.name, show(seen)).toBe('ConfigurationError');
      expect(seen.error?.message).toContain('demo/demo');
    },
  },
];

interface EchoedRequest {
  readonly messages: readonly { readonly role: string }[];
}

/** One transparent pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
