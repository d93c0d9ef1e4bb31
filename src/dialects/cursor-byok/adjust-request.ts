// What this front changes on a decoded request: the model's other readings, usage, labels, thoughts it remembers.
import { createHash } from 'node:crypto';
import { type Message, omitUndefined, type SamplingOptions, type TurnRequest } from '../../core/index.ts';
import type { FrontRequest } from '../dialect.ts';
import { listModelAlternatives } from '../model-alternatives.ts';
import { OPENAI_CHAT } from '../openai-chat/schema.ts';
import { CURSOR_BYOK, type OutputDialect, writeNotes } from './byok-extra.ts';
import type { NormalisedBody } from './normalise-body.ts';
import type { ReasoningCache } from './reasoning-cache.ts';

export interface AdjustOptions {
  readonly http: FrontRequest;
  readonly normalised: NormalisedBody;
  readonly dialect: OutputDialect;
  readonly cache: ReasoningCache;
}

export function adjustRequest(decoded: TurnRequest, options: AdjustOptions): TurnRequest {
  const { http, normalised, dialect, cache } = options;
  const scope = digest(http.headers.authorization ?? http.headers['api-key'] ?? '').slice(0, 16);
  const model = decoded.model || modelInPath(http.path);
  const alternatives = listModelAlternatives(model);
  const { repairs, setAside } = normalised;
  const user = decoded.user || undefined;
  // Without its own mark the request is nobody's: every upstream then sends only what its own server takes.
  const { [OPENAI_CHAT]: _chat, ...extra } = decoded.extra ?? {};
  return omitUndefined({
    ...decoded,
    model,
    modelAlternatives: alternatives.length > 0 ? alternatives : undefined,
    messages: cache.restore(scope, markFailures(decoded.messages, new Set(normalised.failedCallIds))),
    sampling: { ...readSampling(normalised), ...decoded.sampling },
    // Cursor decides when to summarise from the counts it is told.
    includeUsage: true,
    // OpenAI takes 64 characters at most; a digest has exactly as many and still tells users apart.
    user: user !== undefined && user.length > 64 ? digest(user) : user,
    session: decoded.session ?? decoded.promptCacheKey ?? sessionIn(decoded) ?? user,
    extra: { ...extra, [CURSOR_BYOK]: writeNotes({ dialect, scope, repairs, setAside }) },
  });
}

/** Azure-shaped addresses name the model in the path. */
function modelInPath(path: string): string {
  const name = /\/deployments\/([^/]+)\//.exec(path)?.[1] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function sessionIn(request: TurnRequest): string | undefined {
  const id = request.metadata?.session_id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function markFailures(messages: readonly Message[], failed: ReadonlySet<string>): readonly Message[] {
  if (failed.size === 0) return messages;
  return messages.map((message) => ({
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-result' && failed.has(part.callId) ? { ...part, isError: true } : part,
    ),
  }));
}

/** Chat's sampling words in a Responses body: that dialect cannot say them, but the model behind may. */
function readSampling({ shape, setAside }: NormalisedBody): SamplingOptions {
  if (shape === 'chat') return {};
  const { seed, presence_penalty, frequency_penalty } = setAside;
  const stop = setAside.stop ?? setAside.stop_sequences;
  const words = (Array.isArray(stop) ? stop : [stop]).filter((word) => typeof word === 'string');
  return omitUndefined({
    stop: words.length > 0 ? words : undefined,
    seed: numberOr(seed),
    presencePenalty: numberOr(presence_penalty),
    frequencyPenalty: numberOr(frequency_penalty),
  });
}

function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
