import { describe, expect, it } from 'vitest';
import type { TurnResult } from '../../../core/index.ts';
import { GatewayError } from '../../../core/index.ts';
import {
  CreateTranscriptOverviewRequestSchema,
  CreateTranscriptOverviewResponseSchema,
  NameAgentRequestSchema,
  NameAgentResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { createServicesWorld, type ServicesWorld } from './fixtures/call-service.ts';

const answer = (text: string): TurnResult => ({
  content: [{ type: 'text', text }],
  finishReason: 'stop',
  warnings: [],
  opaque: [],
});
const nameFor = async (userMessage: string, world: ServicesWorld) => {
  const { call, turns } = createServicesWorld(world);
  const reply = call('/agent.v1.AgentService/NameAgent', NameAgentRequestSchema, NameAgentResponseSchema, {
    userMessage,
  });
  return { name: (await reply).name, turns };
};

describe('the name of an agent', () => {
  it.each([
    ['Fix the login', 'Fix the login'],
    ['"Fix the login."', 'Fix the login'],
    ['Title: **Fix the login**\nBecause it is broken', 'Fix the login'],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
  ])('is what the default model says: %j', async (said, expected) => {
    const { name, turns } = await nameFor('please fix the login of the shop', {
      runTurn: async () => answer(said),
    });
    expect(name).toBe(expected);
    expect(turns).toMatchObject([
      { model: '', tools: [], stream: false, sampling: { maxOutputTokens: 200 } },
    ]);
  });

  it.each([
    ['an empty answer', async () => answer('  ')],
    [
      'a failure',
      async () => {
        throw new GatewayError('upstream-unavailable', 'down');
      },
    ],
    [
      'a failed turn',
      async () => ({ ...answer('half'), error: new GatewayError('upstream-malformed', 'cut') }),
    ],
  ])('is the first words after %s', async (_what, runTurn) => {
    const { name } = await nameFor('  please fix the login of the shop, now ', { runTurn });
    expect(name).toBe('please fix the login of the');
  });

  it('does not wait for a model that never answers, and stops it', async () => {
    const timers = new ManualTimers();
    let wasStopped = false;
    const naming = nameFor('hello there', {
      timers,
      runTurn: (_request, { signal }) => {
        signal.addEventListener('abort', () => {
          wasStopped = true;
        });
        return new Promise(() => {});
      },
    });
    await timers.advance(10_000);
    expect((await naming).name).toBe('hello there');
    expect(wasStopped).toBe(true);
  });

  it('needs no model for an empty message', async () => {
    const { name, turns } = await nameFor(' ', {});
    expect(name).toBe('New Agent');
    expect(turns).toEqual([]);
  });
});

describe('the overview of a transcript', () => {
  const overviewOf = async (formattedConversation: string, world: ServicesWorld) => {
    const { call, turns } = createServicesWorld(world);
    const path = '/agent.v1.AgentService/CreateTranscriptOverview';
    const { overview } = await call(
      path,
      CreateTranscriptOverviewRequestSchema,
      CreateTranscriptOverviewResponseSchema,
      { formattedConversation },
    );
    return { overview, turns };
  };

  it('is the model’s, or else its beginning', async () => {
    const runTurn = async () => answer('All done.');
    expect((await overviewOf('user: hi', { runTurn })).overview).toBe('All done.');
    expect((await overviewOf('user: hi', {})).overview).toBe('user: hi');
    expect((await overviewOf('', {})).turns).toEqual([]);
  });

  it('is asked for with a bounded text', async () => {
    const { turns } = await overviewOf('x'.repeat(300_000), { runTurn: async () => answer('long') });
    const [part] = turns[0]?.messages.at(-1)?.content ?? [];
    expect(part).toMatchObject({ type: 'text', text: 'x'.repeat(100_000) });
  });
});
