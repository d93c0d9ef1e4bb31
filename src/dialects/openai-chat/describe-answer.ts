import { type JsonObject, omitUndefined, type TurnStart } from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { OPENAI_CHAT } from './schema.ts';

export interface AnswerHead {
  readonly id: string;
  /** Seconds. */
  readonly created: number;
  readonly model: string;
  readonly kept: JsonObject;
}

/** What every chunk and every whole answer repeats: the upstream's own words where it gave any. */
export function describeAnswer(start: TurnStart | undefined, context: EncodeContext): AnswerHead {
  const { service_tier, system_fingerprint } = start?.extra?.[OPENAI_CHAT] ?? {};
  return {
    id: start?.responseId ?? context.newId('chatcmpl-'),
    created: Math.floor((start?.createdAtMs ?? context.nowMs) / 1000),
    model: start?.model ?? context.model,
    kept: omitUndefined({ service_tier, system_fingerprint }),
  };
}
