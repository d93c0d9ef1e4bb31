// A client of a Cursor backend that behaves like the official SDK (its local runtime): key exchange, model list, runs over
// either transport, tools on a folder, memory by checkpoints, retries by `resume_action`. It is stricter than the SDK: what
// the server does wrong is noted even where the SDK would not mind.
import { randomUUID } from 'node:crypto';
import type { Http2SessionManager } from '@connectrpc/connect-node';
import { Agent, fetch, type Response } from 'undici';
import { type JsonObject, omitUndefined } from '../../../src/core/index.ts';
import type { AgentMode } from '../../../src/gen/agent/v1/user_message_pb.ts';
import type { AnswerQuery } from './answer-query.ts';
import { type CarrierKind, newRequestId, runHeaders } from './carrier.ts';
import { ConversationMemory } from './conversation-memory.ts';
import {
  type AttemptEnd,
  type AttemptOptions,
  type Cut,
  type RunRequestInit,
  runAttempt,
} from './run-attempt.ts';
import { TurnRecord } from './turn-record.ts';
import { CUSTOM_SERVER, type Workspace } from './workspace/index.ts';

const MAX_ATTEMPTS = 6;

export interface NativeClientOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly carrier: CarrierKind;
  readonly ca?: string;
  readonly session?: Http2SessionManager;
}

export interface AgentOptions {
  readonly workspace: Workspace;
  readonly model: string;
  readonly conversationId?: string;
  readonly memory?: ConversationMemory;
  /** Fields of the run request beside those the SDK sets. */
  readonly request?: Partial<RunRequestInit>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SendOptions {
  readonly mode?: AgentMode;
  readonly parameters?: readonly { readonly id: string; readonly value: string }[];
  readonly images?: readonly { readonly mimeType: string; readonly data: Uint8Array }[];
  readonly answerQuery?: AnswerQuery;
  /** Where each attempt breaks; those beyond the list are left whole. */
  readonly cuts?: readonly Cut[];
  readonly signal?: AbortSignal;
  readonly onFrame?: NonNullable<AttemptOptions['onFrame']>;
  /** Awaited before the next attempt; the SDK waits two seconds and more. */
  readonly beforeRetry?: () => Promise<void>;
  /** One attempt only, as 1.0.18. */
  readonly isRetried?: boolean;
}

export interface Turn {
  readonly record: TurnRecord;
  readonly end: AttemptEnd;
}

export class NativeClient {
  readonly options: NativeClientOptions;

  constructor(options: NativeClientOptions) {
    this.options = options;
  }

  /** The key for a token, as before nearly every call of the SDK. */
  async exchange(): Promise<string> {
    const response = await this.#fetch('POST', '/auth/exchange_user_api_key', '{}');
    const { accessToken } = (await response.json()) as { accessToken?: unknown }; // checked on the next line
    if (!response.ok || typeof accessToken !== 'string')
      throw new Error(`the key exchange answered ${response.status}`);
    return accessToken;
  }

  async listModels(): Promise<JsonObject[]> {
    const response = await this.#fetch('GET', '/v1/models');
    const { items } = (await response.json()) as { items?: JsonObject[] }; // checked on the next line
    if (!response.ok || !Array.isArray(items)) throw new Error(`the model list answered ${response.status}`);
    return items;
  }

  openAgent(options: AgentOptions): NativeAgent {
    return new NativeAgent(this, options);
  }

  /** With the key itself, as the SDK asks for JSON, and over HTTP/1.1. */
  #fetch(method: string, path: string, body?: string): Promise<Response> {
    const { apiKey, url, ca } = this.options;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const dispatcher = ca === undefined ? undefined : new Agent({ connect: { ca } });
    return fetch(url + path, omitUndefined({ method, headers, body, dispatcher }));
  }
}

export class NativeAgent {
  readonly conversationId: string;
  readonly memory: ConversationMemory;
  readonly #client: NativeClient;
  readonly #options: AgentOptions;

  constructor(client: NativeClient, options: AgentOptions) {
    this.#client = client;
    this.#options = options;
    this.conversationId = options.conversationId ?? `agent-${randomUUID()}`;
    this.memory = options.memory ?? new ConversationMemory();
  }

  /** Another conversation that begins where this one stands. */
  fork(): NativeAgent {
    const options = { ...this.#options, conversationId: `agent-${randomUUID()}`, memory: this.memory.fork() };
    return new NativeAgent(this.#client, options);
  }

  /** One turn, retried like 1.0.32 does it: from the last checkpoint, or from the beginning when none came. */
  async send(text: string, options: SendOptions = {}): Promise<Turn> {
    const record = new TurnRecord();
    const originalRequestId = newRequestId();
    const stateBefore = this.memory.state;
    for (;;) {
      const cut = options.cuts?.[record.attempts];
      record.attempts++;
      const isResumed = this.memory.state !== stateBefore;
      const requestId = record.attempts === 1 ? originalRequestId : newRequestId();
      const end = await this.#attempt(
        omitUndefined({ text, options, record, requestId, originalRequestId, isResumed, cut }),
      );
      const mayRetry = options.isRetried !== false && record.attempts < MAX_ATTEMPTS;
      if (end.kind !== 'cut' || !mayRetry) return { record, end };
      await options.beforeRetry?.();
    }
  }

  async #attempt(attempt: {
    readonly text: string;
    readonly options: SendOptions;
    readonly record: TurnRecord;
    readonly requestId: string;
    readonly originalRequestId: string;
    readonly isResumed: boolean;
    readonly cut?: Cut;
  }): Promise<AttemptEnd> {
    const { options: client } = this.#client;
    const { options, requestId, originalRequestId, isResumed, record, cut } = attempt;
    const token = await this.#client.exchange();
    const { carrier: kind, url, ca, session } = client;
    const headers = { ...runHeaders(token, originalRequestId, requestId), ...this.#options.headers };
    const { answerQuery, signal, onFrame } = options;
    return runAttempt(
      omitUndefined({
        carrier: omitUndefined({ kind, url, requestId, headers, ca, session }),
        request: this.#request(attempt.text, options, originalRequestId, isResumed),
        isResumed,
        workspace: this.#options.workspace,
        memory: this.memory,
        record,
        cut,
        answerQuery,
        signal,
        onFrame,
      }),
    );
  }

  #request(text: string, options: SendOptions, runId: string, isResumed: boolean): RunRequestInit {
    const images = options.images ?? [];
    const selectedImages = images.map(({ mimeType, data }) => ({
      uuid: randomUUID(),
      mimeType,
      dataOrBlobId: { case: 'data' as const, value: data },
    }));
    const userMessage = omitUndefined({
      text,
      mode: options.mode,
      selectedContext: images.length === 0 ? undefined : { selectedImages },
    });
    return {
      conversationState: this.memory.state ?? {},
      action: {
        action: isResumed
          ? { case: 'resumeAction', value: {} }
          : { case: 'userMessageAction', value: { userMessage } },
      },
      mcpTools: { mcpTools: this.#options.workspace.declared(CUSTOM_SERVER) },
      conversationId: this.conversationId,
      requestedModel: { modelId: this.#options.model, parameters: [...(options.parameters ?? [])] },
      preFetchedBlobs: this.memory.prefetched(),
      runId,
      ...this.#options.request,
    };
  }
}
