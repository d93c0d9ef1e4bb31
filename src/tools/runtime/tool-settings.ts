// The section `tools` of crosspoint.yaml: the services that tools use, how far they reach, and how much they may say.
import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { readSection } from '../../config/read-section.ts';
import {
  choice,
  DAY_MS,
  flag,
  httpUrl,
  milliseconds,
  section,
  text,
  textList,
  wholeNumber,
} from '../../config/schema-parts.ts';
import { ASK_QUESTION_GATE, KNOWLEDGE_BASE_GATE } from '../modes.ts';

const MEBIBYTE = 1024 * 1024;
const ADDRESS = 'must be an http:// or https:// address';
const SECRET = 'must be a non-empty string';

const webSearchSchema = section({
  provider: choice(['searxng', 'brave', 'tavily']),
  /** The service's own where none is given; SearXNG has none. */
  baseUrl: httpUrl(ADDRESS).optional(),
  apiKey: text(SECRET).optional(),
}).superRefine(({ provider, baseUrl, apiKey }, context) => {
  const complain = (message: string) => context.addIssue({ code: 'custom', message });
  if (provider === 'searxng' && baseUrl === undefined)
    complain('needs baseUrl, the address of your SearXNG, e.g. http://127.0.0.1:8888');
  if (provider !== 'searxng' && apiKey === undefined)
    complain(`needs apiKey for ${provider}; put it into the environment and write "\${NAME}"`);
});

const forgeSchema = section({
  kind: choice(['github', 'gitlab']),
  host: text('must be the host in the addresses of its repositories, e.g. github.com').regex(/^[\w.:-]+$/, {
    error: 'must be a bare host name, without https:// and without a path',
  }),
  apiUrl: httpUrl(ADDRESS).optional(),
  token: text(SECRET).optional(),
});

const folder = text('must be a folder').refine((written) => path.isAbsolute(expandHome(written)), {
  error: 'must be an absolute path, or begin with ~/',
});

export const toolSettingsSchema = section({
  web: section({
    privateHosts: textList('must be a host such as localhost or wiki.internal:8080').default([]),
    timeoutMs: milliseconds(DAY_MS).default(30_000),
    maxBytes: wholeNumber(1024, 256 * MEBIBYTE, 'bytes').default(5 * MEBIBYTE),
  }).prefault({}),
  webSearch: webSearchSchema.optional(),
  forges: z.array(forgeSchema, { error: 'must be a list of code hosts' }).default([]),
  images: section({
    baseUrl: httpUrl(ADDRESS),
    apiKey: text(SECRET).optional(),
    model: text('must be the name of a model that makes pictures'),
  }).optional(),
  screen: section({ server: text('must be the name of an MCP server that has a screen') }).optional(),
  sandbox: section({
    enabled: flag().default(false),
    allowNetwork: flag().default(false),
    writable: z.array(folder, { error: 'must be a list of folders' }).default([]),
  }).prefault({}),
  limits: section({
    /** Of one result, as a model reads it; the whole goes to a file. */
    maxContentCharacters: wholeNumber(1_000, 10_000_000, 'characters').default(100_000),
    /** A command that prints more is stopped. */
    maxCommandOutputBytes: wholeNumber(64 * 1024, 1024 * 1024 * MEBIBYTE, 'bytes').default(
      3 * 1024 * MEBIBYTE,
    ),
    /** Calls that only look before the model is reminded. */
    searchBudget: wholeNumber(1, 1_000_000, 'calls').default(50),
  }).prefault({}),
  gates: section({
    [KNOWLEDGE_BASE_GATE]: flag().default(false),
    [ASK_QUESTION_GATE]: flag().default(false),
  }).prefault({}),
});

export type ToolSettings = z.output<typeof toolSettingsSchema>;

/** The section as its tools want it; throws one error that lists every problem. `source` is the file it stands in. */
export function readToolSettings(given: unknown, source?: string): ToolSettings {
  return readSection('tools', toolSettingsSchema, given, source);
}

export function expandHome(written: string): string {
  return /^~(?=\/|$)/.test(written) ? homedir() + written.slice(1) : written;
}
