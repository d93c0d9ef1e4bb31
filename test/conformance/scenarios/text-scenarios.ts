// Words in, words out: prompts, pictures, thoughts, forms, limits and counts.
import { Ajv } from 'ajv';
import { expect } from 'vitest';
import type { JsonObject, TurnEvent } from '../../../src/core/index.ts';
import { askDirectly } from '../reference.ts';
import { type Scenario, user } from './scenario.ts';

/** One transparent pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const SYSTEM = 'Answer in the manner of a lighthouse keeper: briefly, and with an eye on the horizon.';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    population: { type: 'integer', minimum: 1 },
    districts: { type: 'array', items: { type: 'string' }, minItems: 2 },
  },
  required: ['city', 'population', 'districts'],
  additionalProperties: false,
};

export const TEXT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'plain text arrives as it was said',
    async run({ ask, stream }) {
      const reply = await ask({ model: 'demo', messages: [user('Reply with exactly: pong pong')] });
      expect(reply).toMatchObject({ text: 'pong pong', reasoning: '', calls: [], finish: 'stop' });
      if (stream) expect(reply.pieces).toBeGreaterThan(1);
    },
  },
  {
    name: 'every script survives in text',
    async run({ ask }) {
      const reply = await ask({ model: 'unicode', messages: [user('hello')] });
      expect(reply.text).toBe(textIn(await askDirectly({ model: 'unicode' })));
    },
  },
  {
    name: 'the system prompt reaches the model',
    async run({ ask }) {
      const { text } = await ask({ model: 'echo', messages: [user('hello')], system: SYSTEM });
      expect(JSON.parse(text).messages).toEqual([
        {
          role: expect.stringMatching(/^(system|developer)$/),
          parts: [{ type: 'text', characters: SYSTEM.length }],
        },
        { role: 'user', parts: [{ type: 'text', characters: 'hello'.length }] },
      ]);
    },
  },
  {
    name: 'a picture of the user reaches the model',
    async run({ ask }) {
      const { text } = await ask({ model: 'echo', messages: [user('What is this?')], image: PIXEL });
      const { messages } = JSON.parse(text) as { messages: { role: string; parts: unknown[] }[] };
      const message = messages.find(({ role }) => role === 'user');
      expect(message?.parts).toContainEqual({ type: 'image', source: 'base64' });
      expect(message?.parts).toContainEqual({ type: 'text', characters: 'What is this?'.length });
    },
  },
  {
    name: 'thoughts are shown when they are asked for',
    async run({ ask }) {
      const messages = [user('Reply with exactly: pong')];
      const reply = await ask({ model: 'demo', messages, showsReasoning: true, maxTokens: 4096 });
      expect(reply.text).toBe('pong');
      expect(reply.reasoning).toContain('I will answer in words');
    },
  },
  {
    name: 'an answer follows the schema it was given',
    async run({ ask }) {
      const reply = await ask({ model: 'demo', messages: [user('Describe Oslo')], schema: SCHEMA });
      expect(reply).toMatchObject({ calls: [], finish: 'stop' });
      const validate = new Ajv().compile(SCHEMA);
      expect(validate(JSON.parse(reply.text)), JSON.stringify(validate.errors)).toBe(true);
    },
  },
  {
    name: 'a stop string ends the answer before it is said',
    async run({ ask }) {
      const messages = [user('Reply with exactly: alpha beta gamma delta')];
      const reply = await ask({ model: 'demo', messages, stop: ['gamma'] });
      expect(reply.text.trimEnd()).toBe('alpha beta');
      expect(reply.finish).toBe('stop');
    },
  },
  {
    name: 'the limit of tokens ends the answer as cut',
    async run({ ask }) {
      const reply = await ask({ model: 'long-text', messages: [user('Go on')], maxTokens: 20 });
      expect(reply.finish).toBe('length');
      expect(reply.text).not.toBe('');
      expect(reply.usage?.output).toBe(20);
    },
  },
  {
    name: 'tokens are counted as the model counted them',
    async run({ ask }) {
      const text = 'Reply with exactly: one two three four five';
      const reply = await ask({ model: 'demo', messages: [user(text)] });
      const end = (await askDirectly({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] })).at(
        -1,
      );
      const counted = end?.type === 'turn-end' ? end.usage : undefined;
      expect(reply.usage).toEqual({ input: counted?.inputTokens, output: counted?.outputTokens });
    },
  },
];

function textIn(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}
