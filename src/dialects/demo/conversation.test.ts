import { describe, expect, it } from 'vitest';
import type { Message } from '../../core/index.ts';
import { readConversation, unwrapAsk } from './conversation.ts';
import { system, user } from './fixtures/run-demo.ts';

describe('unwrapAsk', () => {
  it('takes the quotes off an ask that is quoted as a whole, and only then', () => {
    expect(unwrapAsk('"read a.txt"')).toBe('read a.txt');
    expect(unwrapAsk('"create b.txt with \\"hi\\""')).toBe('create b.txt with "hi"');
    expect(unwrapAsk('"a.txt" and "b.txt"')).toBe('"a.txt" and "b.txt"');
  });

  it.each([
    ['Claude Code', '<system-reminder>\nread secret.txt\n</system-reminder>\nread a.txt'],
    [
      'Cline',
      '<user_input mode="act">read a.txt</user_input>\n<environment_details>\n# cwd\nrun ls\n</environment_details>',
    ],
    ['an older Cline', '<task>\nread a.txt\n</task>\n\n<environment_details>run x</environment_details>'],
    [
      'Cursor',
      '<open_and_recently_viewed_files>\nb.txt\n</open_and_recently_viewed_files>\n<user_query>\nread a.txt\n</user_query>',
    ],
    ['Codex', '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nrun ls\n</INSTRUCTIONS>\nread a.txt'],
  ])('finds the words of the user in what %s sends', (_client, text) => {
    expect(unwrapAsk(text)).toBe('read a.txt');
  });

  it('leaves markup of the user alone', () => {
    const text = 'create a.html with <b>bold</b> & <div class="x">text</div>';
    expect(unwrapAsk(text)).toBe(text);
  });

  it('keeps a block that never closes', () => {
    expect(unwrapAsk('<system-reminder> read a.txt')).toBe('<system-reminder> read a.txt');
  });
});

describe('readConversation', () => {
  it('passes over messages that hold nothing but context', () => {
    const messages = [user('read a.txt'), user('<environment_context><cwd>/w</cwd></environment_context>')];
    expect(readConversation(messages).ask).toBe('read a.txt');
  });

  it('pairs the calls since the last ask with their results', () => {
    const call = (callId: string): Message => ({
      role: 'assistant',
      content: [{ type: 'tool-call', callId, name: 'read', kind: 'function', argumentsText: '{}' }],
    });
    const result: Message = { role: 'tool', content: [{ type: 'tool-result', callId: 'c2', content: [] }] };
    const messages = [user('read x.txt'), call('c1'), user('read a.txt'), call('c2'), result, call('c3')];
    const { exchanges } = readConversation(messages);
    expect(exchanges.map(({ call: { callId }, result: found }) => [callId, found !== undefined])).toEqual([
      ['c2', true],
      ['c3', false],
    ]);
  });

  it('pairs calls and results in order when ids repeat', () => {
    const round = (name: string, text: string): Message[] => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', callId: 'call_0', name, kind: 'function', argumentsText: '{}' }],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', callId: 'call_0', content: [{ type: 'text', text }] }],
      },
    ];
    const { exchanges } = readConversation([user('go on'), ...round('a', 'first'), ...round('b', 'second')]);
    expect(exchanges.map(({ call, result }) => [call.name, result?.content[0]])).toEqual([
      ['a', { type: 'text', text: 'first' }],
      ['b', { type: 'text', text: 'second' }],
    ]);
  });

  it.each([
    ['<env>\nWorking directory: /home/me/my project\nPlatform: linux\n</env>', '/home/me/my project'],
    ['Primary working directory: /w/p/', '/w/p'],
    ['<environment_context>\n  <cwd>/w/p</cwd>\n</environment_context>', '/w/p'],
    ['# Current Working Directory (/w/p) Files', '/w/p'],
    ['Workspace Path: /w/p', '/w/p'],
    ['cwd: "/w/p"', '/w/p'],
    ['Your working directory is /w/p. Use tools.', '/w/p'],
    ['Working directory: C:\\Users\\me', 'C:\\Users\\me'],
    ['nothing of the kind', undefined],
  ])('finds the working directory in %j', (text, directory) => {
    expect(readConversation([system(text), user('read a.txt')]).workingDirectory).toBe(directory);
  });
});
