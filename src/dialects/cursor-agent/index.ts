import { defineLazyKind } from '../lazy-upstream.ts';

/** Its protobuf code takes a tenth of a second to load; a gateway without such an upstream does not pay for it. */
export const cursorAgentUpstream = defineLazyKind({
  kind: 'cursor-agent',
  holdsTurns: true,
  load: async () => (await import('./upstream.ts')).agentUpstreamKind,
});
