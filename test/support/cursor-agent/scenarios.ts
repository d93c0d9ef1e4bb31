// The golden scenarios of the agent protocol: orders of frames as public clients and servers exchange them.
// They are written, not captured; every scenario is one stream.
import {
  ANSWER_BLOB,
  checkpoint,
  client,
  EMPTY,
  end,
  exec,
  execHeartbeat,
  execResult,
  type GoldenFrame,
  getBlob,
  heartbeat,
  PROMPT_BLOB,
  requestContext,
  runRequest,
  server,
  setBlob,
  streamClose,
  turnEnded,
  update,
} from './frame-builders.ts';
import { proto } from './proto-bytes.ts';

const textDelta = (text: string) => update(1, proto([1, text]));

function plainChat(): GoldenFrame[] {
  return [
    runRequest({ text: 'What will the weather be?' }),
    heartbeat(),
    ...requestContext(1),
    ...setBlob(1, PROMPT_BLOB),
    update(16, proto([1, 1])),
    update(4, proto([1, 'No tool is needed.'], [2, 1])),
    update(5, proto([1, 640])),
    textDelta('Sunny, '),
    textDelta('21 °C.'),
    update(8, proto([1, 7])),
    update(13, EMPTY),
    update(17, proto([1, 1], [2, 900])),
    ...setBlob(2, ANSWER_BLOB),
    checkpoint([PROMPT_BLOB, ANSWER_BLOB]),
    turnEnded(),
    end(),
  ];
}

// google.protobuf.Value: 2 number, 3 string, 4 bool, 5 struct, 6 list. A struct is a map in field 1.
const text = (value: string) => proto([3, value]);
const struct = (...entries: readonly (readonly [string, Uint8Array])[]) =>
  proto([5, proto(...entries.map(([key, value]) => [1, proto([1, key], [2, value])] as const))]);

const WEATHER_SCHEMA = struct(
  ['type', text('object')],
  ['properties', struct(['city', struct(['type', text('string')])])],
  ['required', proto([6, proto([1, text('city')])])],
  ['additionalProperties', proto([4, false])],
);
const WEATHER_TOOL = proto(
  [1, 'forecast-get_weather'],
  [2, 'The weather of a city.'],
  [3, WEATHER_SCHEMA],
  [4, 'forecast'],
  [5, 'get_weather'],
);
const WEATHER_ARGS = proto(
  [1, 'forecast-get_weather'],
  [2, proto([1, 'city'], [2, text('Zürich')])],
  [2, proto([1, 'days'], [2, proto([2, { double: 3 }])])],
  [3, 'call_weather\nfc_1'],
  [4, 'forecast'],
  [5, 'get_weather'],
);
const WEATHER_SUCCESS = proto([1, proto([1, proto([1, 'Sunny, 21 °C']) /* text */])]);

function mcpToolCall(): GoldenFrame[] {
  const callId = 'call_weather\nfc_1';
  const pending = `{"role":"assistant","content":[{"type":"tool-call","toolCallId":${JSON.stringify(callId)}}]}`;
  const started = proto([15, proto([1, WEATHER_ARGS])]);
  const completed = proto([15, proto([1, WEATHER_ARGS], [2, proto([1, WEATHER_SUCCESS])])], [57, callId]);
  return [
    runRequest({ text: 'What will the weather be?', tools: proto([1, WEATHER_TOOL]) }),
    ...requestContext(1, WEATHER_TOOL),
    ...setBlob(1, PROMPT_BLOB),
    ...getBlob(2, PROMPT_BLOB),
    update(7, proto([1, callId], [2, started], [3, '{"city":"Zür'], [4, 'model-call-1'])),
    update(7, proto([1, callId], [2, started], [3, 'ich","days":3}'], [4, 'model-call-1'])),
    update(2, proto([1, callId], [2, started], [3, 'model-call-1'])),
    exec(2, 11, WEATHER_ARGS),
    checkpoint([PROMPT_BLOB], [pending]),
    heartbeat(),
    execHeartbeat(2),
    execResult(2, 11, proto([1, WEATHER_SUCCESS])),
    streamClose(2),
    update(3, proto([1, callId], [2, completed], [3, 'model-call-1'])),
    checkpoint([PROMPT_BLOB]),
    textDelta('Sunny, 21 °C.'),
    ...setBlob(3, ANSWER_BLOB),
    checkpoint([PROMPT_BLOB, ANSWER_BLOB]),
    turnEnded(),
    end(),
  ];
}

const SHELL_ARGS = proto(
  [1, 'npm test'],
  [2, '/home/dev/project'],
  [3, 30_000],
  [4, 'call_shell'],
  [5, 'npm test'],
  [8, proto([2, proto([1, 'npm'], [2, proto([1, 'word'], [2, 'test'])], [3, 'npm test'])])],
  [10, 40_000],
  [13, 2],
  [14, 86_400_000],
  [17, true],
);
const shellStarted = () =>
  update(2, proto([1, 'call_shell'], [2, proto([1, proto([1, SHELL_ARGS])])], [3, 'model-call-1']));

function shellStream(): GoldenFrame[] {
  const success = proto(
    [1, 'npm test'],
    [2, '/home/dev/project'],
    [5, 'ok 1\n'],
    [6, 'warning\n'],
    [7, 1500],
  );
  const completed = proto([1, proto([1, SHELL_ARGS], [2, proto([1, success])])]);
  const shellDelta = (field: number, content: string) =>
    update(
      15,
      proto([1, 'call_shell'], [2, proto([1, proto([field, proto([1, content])])])], [3, 'model-call-1']),
    );
  return [
    runRequest({ text: 'Run the tests.' }),
    ...requestContext(1),
    shellStarted(),
    exec(2, 14, SHELL_ARGS),
    execResult(2, 14, proto([4, EMPTY])),
    execResult(2, 14, proto([1, proto([1, 'ok 1\n'])])),
    shellDelta(1, 'ok 1\n'),
    execHeartbeat(2),
    execResult(2, 14, proto([2, proto([1, 'warning\n'])])),
    shellDelta(2, 'warning\n'),
    execResult(2, 14, proto([3, proto([2, '/home/dev/project'], [6, 1500])])),
    streamClose(2),
    update(3, proto([1, 'call_shell'], [2, completed], [3, 'model-call-1'])),
    textDelta('All tests pass.'),
    checkpoint([PROMPT_BLOB]),
    turnEnded(),
    end(),
  ];
}

function cancel(): GoldenFrame[] {
  return [
    runRequest({ text: 'Run the tests.' }),
    ...requestContext(1),
    shellStarted(),
    exec(2, 14, SHELL_ARGS),
    execResult(2, 14, proto([4, EMPTY])),
    client(4, proto([3, proto([1, 'user_requested'])])),
    server(5, proto([1, proto([1, 2])])),
    execResult(2, 14, proto([3, proto([2, '/home/dev/project'], [4, true], [5, 1])])),
    streamClose(2),
    checkpoint([PROMPT_BLOB]),
    end('{"error":{"code":"canceled","message":"The run was cancelled."}}'),
  ];
}

function subAgent(): GoldenFrame[] {
  // SubagentType: 4 explore, empty.
  const taskArgs = proto([1, 'Find the parser'], [2, 'Where is the parser?'], [3, proto([4, EMPTY])], [8, 1]);
  const step = proto([1, proto([1, 'It is in src/parse.ts.'])]);
  const result = proto([1, proto([1, step], [2, 'agent-child'], [4, 4200])]);
  const started = proto([19, proto([1, taskArgs])]);
  const completed = proto([19, proto([1, taskArgs], [2, result])]);
  const nested = proto([2, proto([1, proto([1, proto([1, 'It is in ']) /* text_delta */])])]);
  return [
    runRequest({ text: 'Where is the parser?' }),
    ...requestContext(1),
    update(2, proto([1, 'call_task'], [2, started], [3, 'model-call-1'])),
    exec(
      2,
      28,
      proto(
        [1, 'call_task'],
        [2, 'explore'],
        [3, 'example-model'],
        [4, 'Where is the parser?'],
        [5, true],
        [9, 'agent-5f0c9a52'],
        [14, 1],
      ),
    ),
    execHeartbeat(2),
    update(15, proto([1, 'call_task'], [2, nested], [3, 'model-call-1'])),
    execResult(2, 28, proto([1, proto([1, 'agent-child'], [2, 'It is in src/parse.ts.'], [3, 2])])),
    streamClose(2),
    update(3, proto([1, 'call_task'], [2, completed], [3, 'model-call-1'])),
    textDelta('The parser is src/parse.ts.'),
    checkpoint([PROMPT_BLOB]),
    turnEnded(),
    end(),
  ];
}

/** The run that a client opens for a sub-agent, beside its parent's. */
function subAgentChild(): GoldenFrame[] {
  return [
    runRequest({ text: 'Where is the parser?', subagentType: 'explore' }),
    ...requestContext(1),
    textDelta('It is in src/parse.ts.'),
    checkpoint([PROMPT_BLOB]),
    turnEnded(),
    end(),
  ];
}

export const SCENARIOS: Readonly<Record<string, readonly GoldenFrame[]>> = {
  'plain-chat': plainChat(),
  'mcp-tool-call': mcpToolCall(),
  'shell-stream': shellStream(),
  cancel: cancel(),
  'sub-agent': subAgent(),
  'sub-agent-child': subAgentChild(),
};
