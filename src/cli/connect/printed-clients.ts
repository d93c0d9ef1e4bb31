// Clients that keep no settings file of their own to write: steps, variables and code to copy.
// Cline's flags are known from its CLI reference; Cursor's facts from its staff's and users' reports on own keys.
import type { ConnectClient } from './client.ts';

export const cline: ConnectClient = {
  name: 'cline',
  title: 'Cline',
  front: 'openai-chat',
  describe: ({ url, model, key }) =>
    [
      'In the editor: open Cline, then its settings (the gear), and set',
      '',
      '  API Provider   OpenAI Compatible',
      `  Base URL       ${url}/v1`,
      `  API Key        ${key}`,
      `  Model ID       ${model}`,
      '',
      'With the command line:',
      '',
      `  cline auth -p openai -b ${url}/v1 -k ${key} -m ${model}`,
      '',
    ].join('\n'),
};

export const cursor: ConnectClient = {
  name: 'cursor',
  title: 'Cursor (own key)',
  front: 'cursor-byok',
  describe: ({ url, model, key }) => {
    const isPublic = url.startsWith('https://');
    return [
      'With an own key, Cursor’s servers call the gateway, not the editor on your machine. They refuse loopback and',
      'private addresses, so the gateway needs a public https:// address (a reverse proxy or a tunnel), and keys.',
      '',
      ...(isPublic
        ? []
        : ['  1. crosspoint keys create cursor', '  2. give the gateway a public https:// address', '']),
      'In Cursor: Settings, Models, API Keys:',
      '',
      `  OpenAI API Key             ${isPublic ? key : '<a key made with crosspoint keys create>'}`,
      `  Override OpenAI Base URL   ${isPublic ? url : '<public https url>'}/cursor`,
      `  Add a custom model         ${model}`,
      '',
      'Ask, Plan and Agent then use it. Tab completion and models billed by Cursor never do.',
      '',
    ].join('\n');
  },
};

export const cursorSdk: ConnectClient = {
  name: 'cursor-sdk',
  title: 'Cursor SDK',
  front: 'cursor-agent',
  describe: ({ url, key }) =>
    [
      'Set these for the program that uses the SDK; everything it would send to Cursor then comes here:',
      '',
      `  export CURSOR_BACKEND_URL=${url}`,
      `  export CURSOR_API_KEY=${key}`,
      '',
    ].join('\n'),
};

export const cursorCli: ConnectClient = {
  name: 'cursor-cli',
  title: 'Cursor CLI',
  front: 'cursor-agent',
  describe: ({ url, key, model }) =>
    [
      'Start the CLI with these variables:',
      '',
      `  export CURSOR_API_ENDPOINT=${url}`,
      `  export CURSOR_API_KEY=${key}`,
      `  cursor-agent --model ${model}`,
      '',
    ].join('\n'),
};

export const openaiSdk: ConnectClient = {
  name: 'openai-sdk',
  title: 'OpenAI SDK',
  front: 'openai-chat',
  describe: ({ url, key, model }) =>
    [
      "import OpenAI from 'openai';",
      '',
      `const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' });`,
      'const answer = await client.chat.completions.create({',
      `  model: '${model}',`,
      "  messages: [{ role: 'user', content: 'Hello' }],",
      '});',
      'console.log(answer.choices[0]?.message.content);',
      '',
      'Python, and programs that read the environment:',
      '',
      `  export OPENAI_BASE_URL=${url}/v1`,
      `  export OPENAI_API_KEY=${key}`,
      '',
    ].join('\n'),
};

export const aiSdk: ConnectClient = {
  name: 'ai-sdk',
  title: 'Vercel AI SDK',
  front: 'openai-chat',
  describe: ({ url, key, model }) =>
    [
      "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';",
      "import { generateText } from 'ai';",
      '',
      'const crosspoint = createOpenAICompatible({',
      "  name: 'crosspoint',",
      `  baseURL: '${url}/v1',`,
      `  apiKey: '${key}',`,
      '});',
      `const { text } = await generateText({ model: crosspoint('${model}'), prompt: 'Hello' });`,
      '',
    ].join('\n'),
};
