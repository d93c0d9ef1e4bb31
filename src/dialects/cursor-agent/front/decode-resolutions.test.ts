import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { InterruptedPendingToolCallResolutionsSchema } from '../../../gen/agent/v1/conversation_action_pb.ts';
import { decodeResolutions } from './decode-resolutions.ts';

it('the client’s word on interrupted calls is told to the model, and what says nothing is left open', () => {
  const results = decodeResolutions(
    create(InterruptedPendingToolCallResolutionsSchema, {
      resolutions: [
        {
          toolCallId: 'shell',
          resolution: {
            case: 'shellResult',
            value: { result: { case: 'failure', value: { exitCode: 2, stderr: 'No.' } } },
          },
        },
        { toolCallId: 'cut', resolution: { case: 'shellResult', value: {} } },
        {
          toolCallId: 'task',
          resolution: {
            case: 'taskResult',
            value: { result: { case: 'error', value: { error: 'Out of time.' } } },
          },
        },
        { toolCallId: 'nothing' },
      ],
    }),
  );
  const texts = [...results].map(([callId, { content }]) => [callId, content[0]]);
  expect(texts).toEqual([
    ['shell', { type: 'text', text: 'Exit code 2.\nNo.' }],
    ['cut', { type: 'text', text: 'The command was interrupted.' }],
    ['task', { type: 'text', text: 'The task ended: error\nOut of time.' }],
  ]);
});
