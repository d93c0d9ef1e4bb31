// The referee itself: the judge of unified chat finds nothing wrong with a well-kept answer, and every breach of its order.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  type StreamUnifiedChatResponseSchema,
  StreamUnifiedChatResponseWithToolsSchema,
} from '../../src/gen/aiserver/v1/chat_response_pb.ts';
import {
  type ClientSideToolV2CallSchema,
  ClientSideToolV2 as Tool,
} from '../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { TurnRecord } from '../support/aiserver-client/index.ts';

type Response = NonNullable<MessageInitShape<typeof StreamUnifiedChatResponseWithToolsSchema>['response']>;
/** A message of the server, or the id of a call that the client answers. */
type Step = Response | string;

type CallInit = Exclude<MessageInitShape<typeof ClientSideToolV2CallSchema>, { $typeName: string }>;

const START: Step = { case: 'streamStart', value: {} };
const chat = (value: MessageInitShape<typeof StreamUnifiedChatResponseSchema>): Step => ({
  case: 'streamUnifiedChatResponse',
  value,
});
const DONE = chat({ parallelToolCallsComplete: true });
const identity = (index: number, model: string, id = `c${index}`) => ({
  tool: Tool.READ_FILE_V2,
  toolCallId: id,
  name: 'read_file',
  toolIndex: index,
  modelCallId: model,
});
const params = { case: 'readFileV2Params' as const, value: { targetFile: 'a' } };
const begin = (index = 1, model = 'm1', id = `c${index}`) =>
  chat({ partialToolCall: identity(index, model, id) });
const call = (more: Partial<CallInit> = {}, index = 1, model = 'm1', id = `c${index}`): Step => ({
  case: 'clientSideToolV2Call',
  value: { ...identity(index, model, id), rawArgs: '{"path":"a"}', params, ...more },
});
const show = (index = 1, model = 'm1', id = `c${index}`) =>
  chat({ toolCallV2: { ...identity(index, model, id), params } });
const text = chat({ text: 'Hello.' });
const last = chat({ thinking: { isLastThinkingChunk: true } });
const thought = chat({ thinking: { text: 'Hm.' } });

function judge(steps: readonly Step[]): readonly string[] {
  const record = new TurnRecord();
  for (const step of steps) {
    if (typeof step === 'string') record.judge.answered(step);
    else record.note(create(StreamUnifiedChatResponseWithToolsSchema, { response: step }));
  }
  record.judge.end();
  return record.violations;
}

const ONE = [begin(), call(), show(), 'c1'];
const TWO = [begin(1), begin(2), call(), show(), call({}, 2), show(2)];

describe('the judge of unified chat', () => {
  it('finds nothing wrong with thinking, text, one call, two side by side, and text', () => {
    const first = [begin(1, 'm1', 'd1'), call({}, 1, 'm1', 'd1'), show(1, 'm1', 'd1'), 'd1'];
    const second = [begin(1, 'm2'), begin(2, 'm2'), call({}, 1, 'm2'), show(1, 'm2')];
    const third = [call({}, 2, 'm2'), show(2, 'm2'), 'c2', 'c1', DONE];
    const all = [START, thought, last, text, ...first, text, ...second, ...third, text];
    expect(judge(all)).toEqual([]);
  });

  it.each<[string, readonly Step[], RegExp]>([
    ['text before the start', [text], /before stream_start/],
    ['a second start', [START, START], /second stream_start/],
    ['text inside thinking', [START, thought, text], /before the last chunk/],
    ['thinking without an end', [START, thought], /thinking was open/],
    ['two things in one message', [START, chat({ text: 'a', usageUuid: 'u' })], /text and usageUuid/],
    ['a call that was not begun', [START, call(), show()], /never begun/],
    ['a call that is begun twice', [START, begin(), ...ONE], /begun twice/],
    ['a call that is sent twice', [START, begin(), call(), call(), show(), 'c1'], /sent again/],
    ['a call that is never shown', [START, begin(), call(), 'c1'], /picture of c1 was open/],
    ['a picture of a call that was not sent', [START, begin(), show()], /was not sent/],
    [
      'arguments in a wrong slot',
      [START, begin(), call({ params: { case: undefined } }), show()],
      /instead of/,
    ],
    [
      'a picture with other arguments',
      [START, begin(), call(), chat({ toolCallV2: identity(1, 'm1') })],
      /other/,
    ],
    [
      'a streamed call of a tool that clients do not stream',
      [START, begin(), call({ isStreaming: true })],
      /streamed/,
    ],
    ['text before the result', [START, ...ONE.slice(0, 3), text], /before the result/],
    ['no word after calls side by side', [START, ...TWO, 'c1', 'c2', text], /before parallel/],
    ['the word before all results', [START, ...TWO, 'c1', DONE], /before the result of c2/],
    ['the word after one call', [START, ...ONE, DONE], /without calls side by side/],
  ])('notes %s', (_name, steps, expected) => {
    expect(judge(steps).join('\n')).toMatch(expected);
  });

  it('notes streamed arguments that are not cumulative', () => {
    const edit = { ...identity(1, 'm1'), tool: Tool.EDIT_FILE_V2, name: 'write' };
    const piece = (rawArgs: string, isLastMessage = false): Step => ({
      case: 'clientSideToolV2Call',
      value: {
        ...edit,
        rawArgs,
        isStreaming: true,
        isLastMessage,
        params: { case: 'editFileV2Params', value: {} },
      },
    });
    const shown = chat({ toolCallV2: { ...edit, params: { case: 'editFileV2Params', value: {} } } });
    const begun = chat({ partialToolCall: edit });
    expect(judge([START, begun, piece('{"a'), piece('{"a":1}', true), shown, 'c1'])).toEqual([]);
    expect(judge([START, begun, piece('{"a'), piece('":1}', true), shown, 'c1']).join()).toMatch(
      /cumulative/,
    );
  });
});
