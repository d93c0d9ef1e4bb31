// The admin API's own wire format: JSON over HTTP under /api, used by the console and the CLI.
import { z } from 'zod';
import { ERROR_CODES, FINISH_REASONS } from '../../core/index.ts';

export const errorSchema = z
  .object({
    error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), param: z.string().optional() }),
  })
  .meta({ id: 'Error', description: 'What went wrong and what to do.' });

export const upstreamStatusSchema = z.object({
  name: z.string(),
  kind: z.string(),
  state: z.enum(['ok', 'failing', 'unknown']),
  models: z.number().int().optional(),
  /** Already free of secrets. */
  lastError: z.string().optional(),
});

export const statusSchema = z
  .object({
    version: z.string(),
    startedAtMs: z.number(),
    url: z.string(),
    authMode: z.enum(['none', 'keys']),
    isDraining: z.boolean(),
    store: z.string(),
    defaultModel: z.string().optional(),
    liveTurns: z.number().int(),
    queuedTurns: z.number().int().optional(),
    upstreams: z.array(upstreamStatusSchema),
  })
  .meta({ id: 'Status' });

export const modelSchema = z
  .object({
    id: z.string(),
    upstream: z.string().optional(),
    upstreamModel: z.string().optional(),
    displayName: z.string().optional(),
    contextWindow: z.number().int().optional(),
    maxOutputTokens: z.number().int().optional(),
  })
  .meta({ id: 'Model' });

export const liveTurnSchema = z
  .object({
    turnId: z.string(),
    startedAtMs: z.number(),
    front: z.string(),
    model: z.string(),
    upstream: z.string().optional(),
    keyId: z.string().optional(),
    session: z.string().optional(),
  })
  .meta({ id: 'LiveTurn' });

const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  estimated: z.boolean().optional(),
});

export const turnSummarySchema = z
  .object({
    turnId: z.string(),
    startedAtMs: z.number(),
    endedAtMs: z.number().optional(),
    front: z.string(),
    model: z.string(),
    upstream: z.string().optional(),
    upstreamModel: z.string().optional(),
    keyId: z.string().optional(),
    session: z.string().optional(),
    stream: z.boolean(),
    outcome: z.enum(['ok', 'error', 'cancelled']),
    errorCode: z.enum(ERROR_CODES).optional(),
    finishReason: z.enum(FINISH_REASONS).optional(),
    usage: usageSchema.optional(),
    firstByteMs: z.number().optional(),
    durationMs: z.number().optional(),
    attempts: z.number().int(),
    toolCalls: z.number().int(),
    passThrough: z.boolean(),
  })
  .meta({ id: 'TurnSummary' });

export const turnsSchema = z.object({ live: z.array(liveTurnSchema), recent: z.array(turnSummarySchema) });

export const turnsQuerySchema = z.object({ limit: z.coerce.number().int().min(1).max(500).default(50) });

export const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    createdAtMs: z.number(),
    models: z.array(z.string()).optional(),
    requestsPerMinute: z.number().int().optional(),
    maxConcurrent: z.number().int().optional(),
    expiresAtMs: z.number().optional(),
    lastUsedAtMs: z.number().optional(),
    revokedAtMs: z.number().optional(),
  })
  .meta({ id: 'Key' });

export const newKeySchema = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    models: z.array(z.string().min(1)).max(1000).optional(),
    requestsPerMinute: z.number().int().min(1).optional(),
    maxConcurrent: z.number().int().min(1).optional(),
    expiresAtMs: z.number().int().optional(),
  })
  .meta({ id: 'NewKey' });

export const createdKeySchema = z.object({
  key: keySchema,
  secret: z.string().meta({ description: 'Shown here and never again.' }),
});

/** Optional fields may also be present as undefined: they leave as absent all the same. */
export type AdminStatus = Readonly<z.infer<typeof statusSchema>>;
export type AdminModel = Readonly<z.infer<typeof modelSchema>>;
export type LiveTurn = Readonly<z.infer<typeof liveTurnSchema>>;
