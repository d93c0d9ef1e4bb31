// Bodies to begin with: what the clients of each front send in the conformance scenarios, and one body a dialect that
// uses as much of it as fits.
import { DEMO_CLIENTS, type DemoMessage } from '../../src/cli/demo/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import type { AskOptions } from '../conformance/ask-options.ts';
import { OPTION_WRITERS } from '../conformance/options/index.ts';
import { READ_TOOL, RUN_TOOL, user } from '../conformance/scenarios/scenario.ts';
import { RICH_BODIES } from './rich-bodies.ts';

const HISTORY: readonly DemoMessage[] = [
  user('Please read notes.txt and run `date`'),
  {
    from: 'model',
    reply: {
      text: 'I will.',
      reasoning: '',
      calls: [
        { id: 'call_1', name: 'read_file', argumentsText: '{"path":"notes.txt"}' },
        { id: 'call_2', name: 'run_command', argumentsText: '{"command":"date"}' },
      ],
      finish: 'tool-calls',
      pieces: 1,
    },
  },
  {
    from: 'tools',
    results: [
      { callId: 'call_1', content: 'the tide turns at noon' },
      { callId: 'call_2', content: 'Thursday' },
    ],
  },
];

const ASKS: readonly Omit<AskOptions, 'model'>[] = [
  { messages: [user('hello')] },
  { messages: HISTORY, tools: [READ_TOOL, RUN_TOOL], system: 'Be brief.', hasFailed: true },
  { messages: [user('What is this?')], image: 'iVBORw0KGgo=', maxTokens: 100, showsReasoning: true },
  { messages: [user('Oslo')], schema: { type: 'object', properties: { city: { type: 'string' } } } },
  { messages: HISTORY.slice(0, 1), tools: [READ_TOOL, RUN_TOOL], toolChoice: { name: 'read_file' } },
];

/** Good bodies of one front, all for the model that is named. */
export function seedBodies(front: string, model: string): readonly JsonObject[] {
  const client = DEMO_CLIENTS.find((one) => one.front === front);
  const writer = OPTION_WRITERS.find((one) => one.front === front);
  if (!client || !writer)
    throw new Error(`The front ${front} has no client to make bodies with; see test/conformance.`);
  const plain = ASKS.flatMap((ask) =>
    [false, true].map((stream) =>
      writer.write(client.encodeRequest({ model, stream, tools: [], ...ask }), { model, ...ask }),
    ),
  );
  return [...plain, ...(RICH_BODIES[front] ?? []).map((body) => ({ ...body, model }))];
}
