import { expect, it } from 'vitest';
import type { Message } from '../core/index.ts';
import { renderTranscript } from './render-transcript.ts';

const MESSAGES: Message[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } },
      { type: 'file', source: { type: 'id', id: 'f' }, filename: 'a.pdf' },
    ],
  },
  { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.', form: 'raw' }] },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', callId: 'c', name: 'ls', kind: 'function', argumentsText: '{}' }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        callId: 'c',
        name: 'ls',
        content: [{ type: 'text', text: 'none' }],
        isError: true,
      },
    ],
  },
];

it('a transcript says who said and did what, and how it went; thoughts are left out', () => {
  expect(renderTranscript(MESSAGES, 1_000)).toBe(
    '[user]\nLook.\n(a picture)\n(a file named a.pdf)\n\n[assistant]\ncalled ls {}\n\n[tool]\nls failed: none',
  );
});

it('a transcript that is too long keeps its beginning and its end', () => {
  const text = renderTranscript(MESSAGES, 40);
  expect(text).toMatch(/^\[user\]\nLook\.[\s\S]*characters left out[\s\S]*failed: none$/);
});
