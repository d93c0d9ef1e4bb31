// A whole tool loop against the gateway with the official OpenAI client: the model asks, this program runs the tool,
// the model goes on. Start the gateway (`npm start`), then: npx tsx examples/tool-loop.ts
import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';

const baseURL = process.env.CROSSPOINT_URL ?? 'http://127.0.0.1:18741/v1';
const client = new OpenAI({ baseURL, apiKey: process.env.CROSSPOINT_API_KEY ?? 'any' });

const runner = client.chat.completions.runTools({
  model: process.env.MODEL ?? 'demo/demo',
  messages: [{ role: 'user', content: 'read package.json' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'read_file',
        description: 'Reads a text file',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        parse: (text: string) => JSON.parse(text) as { path: string }, // as the schema says
        function: ({ path }: { path: string }) => readFile(path, 'utf8'),
      },
    },
  ],
});

console.log(await runner.finalContent());
