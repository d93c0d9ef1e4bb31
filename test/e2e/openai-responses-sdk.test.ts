// The official OpenAI client on the Responses API, as referee: streams, tool turns and everything the server keeps.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startTestGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => gateway.stop());

const model = 'demo/demo';
const readTool: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'read_file',
  description: 'Reads a file',
  strict: false,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

describe('the openai client on /v1/responses', () => {
  it('gets a plain answer with usage', async () => {
    const response = await client.responses.create({ model, input: 'what is 2+2?' });
    expect(response.status).toBe('completed');
    expect(response.output_text).toContain('4');
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('streams events in order, numbered without a gap', async () => {
    const stream = client.responses.stream({ model, input: 'hello' });
    const numbers: number[] = [];
    const types: string[] = [];
    for await (const event of stream) {
      numbers.push(event.sequence_number);
      types.push(event.type);
    }
    const final = await stream.finalResponse();
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.completed');
    expect(final.output_text.length).toBeGreaterThan(0);
  });

  it('runs a tool turn that the server remembers by previous_response_id', async () => {
    const first = await client.responses.create({ model, input: 'read notes.md', tools: [readTool] });
    const call = first.output.find((item) => item.type === 'function_call');
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(JSON.parse(call.arguments)).toEqual({ path: 'notes.md' });
    const second = await client.responses.create({
      model,
      tools: [readTool],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'buy 17 apples' }],
    });
    expect(second.output_text).toContain('buy 17 apples');
    expect(second.previous_response_id).toBe(first.id);
  });

  it('keeps a streamed answer under the id the client saw, before its last byte', async () => {
    const stream = client.responses.stream({ model, input: 'what is 6*7?' });
    const final = await stream.finalResponse();
    const kept = await client.responses.retrieve(final.id);
    expect(kept.output).toEqual(
      JSON.parse(JSON.stringify(final.output, (key, value) => (key === 'parsed' ? undefined : value))),
    );
    const items = await client.responses.inputItems.list(final.id);
    expect(items.data).toMatchObject([{ type: 'message', role: 'user' }]);
  });

  it('resolves item references, and names what it does not have', async () => {
    const first = await client.responses.create({ model, input: 'read notes.md', tools: [readTool] });
    const call = first.output.find((item) => item.type === 'function_call');
    if (call?.type !== 'function_call' || !call.id) throw new Error('no call');
    const second = await client.responses.create({
      model,
      tools: [readTool],
      input: [
        { role: 'user', content: 'read notes.md' },
        { type: 'item_reference', id: call.id },
        { type: 'function_call_output', call_id: call.call_id, output: 'seven pears' },
      ],
    });
    expect(second.output_text).toContain('seven pears');
    const unknown = client.responses.create({ model, previous_response_id: 'resp_nope', input: 'x' });
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'previous_response_not_found' });
  });

  it('forgets on demand, and never keeps what was not to be stored', async () => {
    const kept = await client.responses.create({ model, input: 'hi' });
    await client.responses.delete(kept.id);
    await expect(client.responses.retrieve(kept.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const passing = await client.responses.create({ model, input: 'hi', store: false });
    await expect(client.responses.retrieve(passing.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it('refuses background work and cancelling clearly', async () => {
    const background = client.responses.create({ model, input: 'hi', background: true });
    await expect(background).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    const { id } = await client.responses.create({ model, input: 'hi' });
    await expect(client.responses.cancel(id)).rejects.toMatchObject({ status: 400 });
  });

  it('compacts a conversation into one that goes on', async () => {
    const compacted = await gateway.post('/v1/responses/compact', {
      model,
      input: [
        { role: 'user', content: 'read notes.md' },
        { role: 'assistant', content: 'It says: buy apples.' },
      ],
    });
    expect(compacted.status).toBe(200);
    const { output } = (await compacted.json()) as { output: OpenAI.Responses.ResponseInputItem[] }; // as documented
    expect(output.map((item) => item.type)).toEqual(['message', 'compaction']);
    const next = await client.responses.create({
      model,
      input: [...output, { role: 'user', content: 'what is 2+3?' }],
    });
    expect(next.output_text).toContain('5');
  });

  it('does not show one key what another keeps', async () => {
    const closed = await startTestGateway({
      config: (config) => ({ ...config, server: { ...config.server, auth: 'keys' } }),
    });
    try {
      const newClient = async (name: string) => {
        const created = (await (await closed.admin('POST', '/api/keys', { name })).json()) as {
          secret: string;
        }; // as documented
        return new OpenAI({ baseURL: `${closed.url}/v1`, apiKey: created.secret, maxRetries: 0 });
      };
      const [ann, bob] = [await newClient('ann'), await newClient('bob')];
      const { id } = await ann.responses.create({ model, input: 'hi' });
      await ann.responses.retrieve(id);
      await expect(bob.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    } finally {
      await closed.stop();
    }
  });
});
