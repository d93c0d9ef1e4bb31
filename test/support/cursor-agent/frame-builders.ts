// Frames that several golden scenarios share. Numbers are written out from the public field lists on purpose.
import { createHash } from 'node:crypto';
import { proto } from './proto-bytes.ts';

/** One frame of a scenario: a message, or the JSON of the end-of-stream frame. */
export type GoldenFrame =
  | { readonly from: 'client' | 'server'; readonly message: Uint8Array }
  | { readonly from: 'server'; readonly end: string };

type Bytes = Uint8Array;

export const EMPTY = proto();
export const client = (field: number, body: Bytes): GoldenFrame => ({
  from: 'client',
  message: proto([field, body]),
});
export const server = (field: number, body: Bytes): GoldenFrame => ({
  from: 'server',
  message: proto([field, body]),
});
export const end = (json = '{}'): GoldenFrame => ({ from: 'server', end: json });

// Client messages: 1 run_request, 2 exec result, 3 kv, 4 conversation_action, 5 exec control, 7 heartbeat.
export const heartbeat = () => client(7, EMPTY);
export const streamClose = (id: number) => client(5, proto([1, proto([1, id])]));
export const execHeartbeat = (id: number) => client(5, proto([3, proto([1, id])]));
/** As the official SDK answers: by id, without the exec id, with the time it took. */
export const execResult = (id: number, field: number, result: Bytes) =>
  client(
    2,
    field < 39 ? proto([1, id], [field, result], [39, 12]) : proto([1, id], [39, 12], [field, result]),
  );

// Server messages: 1 update, 2 exec, 3 checkpoint, 4 kv, 5 exec control, 7 query.
export const update = (field: number, body: Bytes) => server(1, proto([field, body]));
export const exec = (id: number, field: number, args: Bytes) =>
  server(
    2,
    field < 15
      ? proto([1, id], [field, args], [15, `exec-${id}`])
      : proto([1, id], [15, `exec-${id}`], [field, args]),
  );
export const turnEnded = () => update(14, proto([1, 812], [2, 64], [3, 512], [4, 128], [5, 20]));

export const blobId = (blob: Bytes | string) => new Uint8Array(createHash('sha256').update(blob).digest());
export function setBlob(id: number, blob: string): GoldenFrame[] {
  return [
    server(4, proto([1, id], [3, proto([1, blobId(blob)], [2, blob])])),
    client(3, proto([1, id], [3, EMPTY])),
  ];
}
export function getBlob(id: number, blob: string): GoldenFrame[] {
  return [
    server(4, proto([1, id], [2, proto([1, blobId(blob)])])),
    client(3, proto([1, id], [2, proto([1, blob])])),
  ];
}

export const PROMPT_BLOB = '{"role":"user","content":[{"type":"text","text":"What will the weather be?"}]}';
export const ANSWER_BLOB = '{"role":"assistant","content":[{"type":"text","text":"Sunny, 21 °C."}]}';

/** A checkpoint: prompt blobs, calls still open, context usage, mode agent. */
export const checkpoint = (blobs: readonly string[], pendingCalls: readonly string[] = []) =>
  server(
    3,
    proto(
      ...blobs.map((blob) => [1, blobId(blob)] as const),
      ...pendingCalls.map((call) => [4, call] as const),
      [5, proto([1, 812], [2, 200_000])],
      [10, 1],
    ),
  );

export interface RunOptions {
  readonly text: string;
  readonly state?: Uint8Array;
  readonly tools?: Uint8Array;
  readonly subagentType?: string;
}

export function runRequest({
  text,
  state = proto([10, 1]),
  tools = EMPTY,
  subagentType,
}: RunOptions): GoldenFrame {
  const userMessage = proto([1, text], [2, '0b5c2f7e-message'], [4, 1]);
  return client(
    1,
    proto(
      [1, state],
      [2, proto([1, proto([1, userMessage])])],
      [3, proto([1, 'example-model'], [3, 'example-model'], [4, 'Example Model'])],
      [4, tools],
      [5, 'agent-5f0c9a52'],
      [9, proto([1, 'example-model'], [3, proto([1, 'effort'], [2, 'high'])])],
      ...(subagentType === undefined ? [] : ([[11, subagentType]] as const)),
    ),
  );
}

/** The first exec of nearly every turn and its answer: who and where the client is, and its tools. */
export function requestContext(id: number, ...tools: readonly Uint8Array[]): GoldenFrame[] {
  const env = proto(
    [1, 'linux 6.8.0'],
    [2, '/home/dev/project'],
    [3, 'bash'],
    [10, 'Europe/Zurich'],
    [14, true],
    [20, false],
  );
  const context = proto(
    [4, env],
    ...tools.map((tool) => [7, tool] as const),
    [16, 'Answer in one sentence.'],
    [17, false],
  );
  return [exec(id, 10, EMPTY), execResult(id, 10, proto([1, proto([1, context])])), streamClose(id)];
}
