// The exec channel from the server's side: ask the client to do something, and wait for its answers in any order.
// Matching is by exec_id, then by id: the official SDK does not echo exec_id. `stream_close` follows every answer, comes
// before some, and is missing from others, so it ends only what answers in several messages.
import { GatewayError, type IdSource } from '../../../core/index.ts';
import type { ExecClientControlMessage, ExecClientMessage } from '../../../gen/agent/v1/exec_pb.ts';
import type { ExecArgs, ExecOptions, ExecResult } from '../../../native/remote-port.ts';
import { calledOff, clientGone } from './client-gone.ts';
import type { Outbox } from './outbox.ts';
import { abortFrame, execFrame } from './server-frames.ts';

/** Events of a shell stream after which nothing more comes. */
const LAST_SHELL_EVENTS: ReadonlySet<string | undefined> = new Set([
  'exit',
  'rejected',
  'permissionDenied',
  'backgrounded',
  'sandboxUnsupported',
]);

interface OpenExec {
  readonly id: number;
  readonly execId: string;
  readonly what: string;
  readonly answersOften: boolean;
  readonly onMessage: ((message: ExecResult) => void) | undefined;
  readonly resolve: (result: ExecResult) => void;
  readonly reject: (error: GatewayError) => void;
  last: ExecResult | undefined;
}

export interface ExecRequestsOptions {
  readonly outbox: Outbox;
  readonly newId: IdSource;
  readonly onDrift: (kind: string) => void;
}

export class ExecRequests {
  readonly #options: ExecRequestsOptions;
  readonly #open = new Map<number, OpenExec>();
  readonly #byExecId = new Map<string, OpenExec>();
  #lastId = 0;
  #failure: GatewayError | undefined;

  constructor(options: ExecRequestsOptions) {
    this.#options = options;
  }

  /** Sends one exec and resolves with its last message. */
  async request(args: ExecArgs, { signal, onMessage }: ExecOptions, givenId = ''): Promise<ExecResult> {
    const { outbox, newId } = this.#options;
    const what = `The exec ${args.case?.replace(/(?:Args|Request)$/, '') ?? 'without a kind'}`;
    if (this.#failure) throw this.#failure;
    if (signal.aborted) throw calledOff(what);
    const id = ++this.#lastId;
    const execId = givenId !== '' && !this.#byExecId.has(givenId) ? givenId : newId('exec_');
    const answer = new Promise<ExecResult>((resolve, reject) => {
      const answersOften = args.case === 'shellStreamArgs';
      const open: OpenExec = { id, execId, what, answersOften, onMessage, resolve, reject, last: undefined };
      this.#open.set(id, open);
      this.#byExecId.set(execId, open);
    });
    const onAbort = () => this.#abort(id);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      outbox.post(execFrame({ id, execId, message: args }));
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  receive(answer: ExecClientMessage): void {
    const open = this.#find(answer);
    if (!open) return;
    const { message } = answer;
    if (message.case === undefined && (answer.$unknown?.length ?? 0) > 0) {
      this.#options.onDrift('exec_client_message without a known result');
    }
    // Nobody asked for what hooks say; a client that sends it all the same should be seen.
    if (answer.hookAdditionalContexts.length > 0)
      this.#options.onDrift('hook_additional_contexts of an exec');
    open.last = message;
    try {
      open.onMessage?.(message);
    } catch (thrown) {
      this.#close(open).reject(GatewayError.from(thrown));
      return;
    }
    if (open.answersOften && message.case === 'shellStream') {
      if (!LAST_SHELL_EVENTS.has(message.value.event.case)) return;
    }
    this.#close(open).resolve(message);
  }

  receiveControl({ message, $unknown }: ExecClientControlMessage): void {
    switch (message.case) {
      case 'streamClose': {
        const open = this.#open.get(message.value.id);
        if (!open?.answersOften) return;
        this.#close(open);
        if (open.last) open.resolve(open.last);
        else open.reject(threw(open, 'it closed the stream without an answer'));
        return;
      }
      case 'throw': {
        const { id, error, errorCode } = message.value;
        const open = this.#open.get(id);
        if (open) this.#close(open).reject(threw(open, error, errorCode));
        return;
      }
      case 'heartbeat': // the client is still at it
        return;
      default:
        if ($unknown) this.#options.onDrift('exec_client_control_message of an unknown kind');
    }
  }

  /** Nothing will be answered any more. */
  fail(error: GatewayError = clientGone()): void {
    this.#failure ??= error;
    for (const open of [...this.#open.values()]) this.#close(open).reject(error);
  }

  #find({ id, execId }: ExecClientMessage): OpenExec | undefined {
    const open = (execId === '' ? undefined : this.#byExecId.get(execId)) ?? this.#open.get(id);
    // A late answer to something that was called off, or a second one, is no news.
    if (!open && (id > this.#lastId || id === 0)) {
      this.#options.onDrift('exec_client_message for an exec that was never sent');
    }
    return open;
  }

  #abort(id: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#close(open);
    this.#options.outbox.post(abortFrame(id));
    open.reject(calledOff(open.what));
  }

  #close(open: OpenExec): OpenExec {
    this.#open.delete(open.id);
    this.#byExecId.delete(open.execId);
    return open;
  }
}

function threw({ what }: OpenExec, error: string, errorCode?: string): GatewayError {
  const words = error === '' ? 'it gave no reason' : error;
  return new GatewayError('upstream-rejected', `${what} failed in the client: ${words}`, {
    retryable: false,
    detail: { reason: errorCode || 'client_threw' },
  });
}
