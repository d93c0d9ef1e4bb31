// Titles and overviews of conversations: agent.v1.AgentService/NameAgent and /CreateTranscriptOverview.
import {
  CreateTranscriptOverviewRequestSchema,
  CreateTranscriptOverviewResponseSchema,
  NameAgentRequestSchema,
  NameAgentResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import type { AgentHost } from '../front/agent-host.ts';
import { askModel } from './ask-model.ts';
import type { AgentServicesOptions } from './services-options.ts';

const TITLE_WORDS = 6;
const MAX_TITLE_CHARACTERS = 60;
/** A title is about the first words; a pasted log says no more about it than its beginning. */
const MAX_QUESTION_CHARACTERS = 4_000;
const MAX_TRANSCRIPT_CHARACTERS = 100_000;
const MAX_OVERVIEW_CHARACTERS = 600;

export function createNamingMethods(host: AgentHost, options: AgentServicesOptions): UnaryMethod[] {
  return [
    defineUnary({
      path: '/agent.v1.AgentService/NameAgent',
      input: NameAgentRequestSchema,
      output: NameAgentResponseSchema,
      async handle({ userMessage }, context) {
        const fallback = firstWords(userMessage);
        if (fallback === '') return { name: 'New Agent' };
        const system =
          `Write a title of at most ${TITLE_WORDS} words for a conversation that begins with the user's message. ` +
          'Answer with the title alone: no quotes, no full stop, in the language of the message.';
        const text = userMessage.slice(0, MAX_QUESTION_CHARACTERS);
        const question = { system, text, maxOutputTokens: 200, timeoutMs: 10_000 };
        const answer = await askModel(host, question, context, options.timers);
        return { name: cleanTitle(answer) ?? fallback };
      },
    }),
    defineUnary({
      path: '/agent.v1.AgentService/CreateTranscriptOverview',
      input: CreateTranscriptOverviewRequestSchema,
      output: CreateTranscriptOverviewResponseSchema,
      async handle({ formattedConversation }, context) {
        const system =
          'Sum up this conversation between a user and a coding agent in a few sentences: what was wanted, what was ' +
          'done, what is open. Answer with the summary alone.';
        const text = formattedConversation.slice(-MAX_TRANSCRIPT_CHARACTERS);
        if (text.trim() === '') return { overview: '' };
        const question = { system, text, maxOutputTokens: 1_000, timeoutMs: 60_000 };
        const overview = await askModel(host, question, context, options.timers);
        return { overview: overview ?? shorten(formattedConversation, MAX_OVERVIEW_CHARACTERS) };
      },
    }),
  ];
}

/** Small models add quotes, a label or an explanation on a second line. */
function cleanTitle(answer: string | undefined): string | undefined {
  const [line = ''] = (answer ?? '').trim().split('\n', 1);
  const title = line
    .replace(/^(?:title|name)\s*:\s*/i, '')
    .replace(/^["'`*#\s]+|["'`*.\s]+$/g, '')
    .trim();
  return title === '' ? undefined : shorten(title, MAX_TITLE_CHARACTERS);
}

function firstWords(text: string): string {
  const words = text.slice(0, MAX_QUESTION_CHARACTERS).trim().split(/\s+/u);
  return shorten(words.slice(0, TITLE_WORDS).join(' '), MAX_TITLE_CHARACTERS);
}

function shorten(text: string, maxCharacters: number): string {
  const characters = [...text.trim()];
  if (characters.length <= maxCharacters) return text.trim();
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .trimEnd()}…`;
}
