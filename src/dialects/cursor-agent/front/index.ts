// The agent.v1 front: the official SDK and CLI speak it to us. Known from public repositories and from watching the SDK
// against a loopback server; see docs/protocols/cursor-agent.md for what is guessed.
import { encodeConnectError } from '../../connect-errors.ts';
import type { MessageChannel, NativeContext, NativeFront, StreamMethod } from '../../native-front.ts';
import { REAL_TIMERS } from '../../upstream-timers.ts';
import { CURSOR_AGENT } from '../agent-settings.ts';
import { AGENT_SERVICES, type AgentServicesOptions, createAgentServices } from '../services/index.ts';
import type { AgentHost } from './agent-host.ts';
import { LiveRuns } from './live-runs.ts';
import { RunSession } from './run-session.ts';

export type { AgentHost, AgentRun, ClientUpstream, NativeModel } from './agent-host.ts';

export type FrontOptions = AgentServicesOptions;

export function createCursorAgentFront(host: AgentHost, options: FrontOptions = {}): NativeFront {
  const { timers = REAL_TIMERS } = options;
  const liveRuns = new LiveRuns(timers);
  const open = (channel: MessageChannel, context: NativeContext) =>
    new RunSession(channel, context, { host, timers, liveRuns }).serve();
  const streams: StreamMethod[] = [
    { path: '/agent.v1.AgentService/Run', form: 'bidi', open },
    { path: '/agent.v1.AgentService/RunSSE', form: 'appended', open },
  ];
  return {
    dialect: CURSOR_AGENT,
    unary: createAgentServices(host, options),
    streams,
    services: AGENT_SERVICES,
    encodeError: encodeConnectError,
  };
}
