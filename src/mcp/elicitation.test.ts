import { expect, it, vi } from 'vitest';
import { answerElicitation, type ElicitationAnswer } from './elicitation.ts';

const { signal } = new AbortController();

function answering(answer: ElicitationAnswer) {
  return { server: 'bank', signal, elicit: vi.fn(async () => answer) };
}

it('hands an address to the user, and nothing that only looks like one', async () => {
  const options = answering({ action: 'accept' });
  const request = { mode: 'url', message: 'Open \u001b[8mthis', elicitationId: '1' } as const;
  expect(await answerElicitation({ ...request, url: 'https://bank.example/x' }, options)).toEqual({
    action: 'accept',
  });
  expect(options.elicit).toHaveBeenCalledWith({
    server: 'bank',
    signal,
    kind: 'url',
    message: 'Open \\u{1b}[8mthis',
    url: 'https://bank.example/x',
  });
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'ms-calc:'])
    expect(await answerElicitation({ ...request, url }, options)).toEqual({ action: 'decline' });
  expect(options.elicit).toHaveBeenCalledOnce();
});

it('tells the server nothing when the user refuses', async () => {
  const requestedSchema = { type: 'object', properties: { pin: { type: 'string' } } } as const;
  const answer = await answerElicitation(
    { message: 'PIN?', requestedSchema },
    answering({ action: 'decline' }),
  );
  expect(answer).toEqual({ action: 'decline' });
});
