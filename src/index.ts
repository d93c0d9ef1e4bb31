// The public surface. The canon is also at `crosspoint/core`, each dialect at `crosspoint/dialects/<name>`.
export {
  type Config,
  defaultConfig,
  loadConfig,
  makeUpstream,
  type StatePaths,
  statePaths,
} from './config/index.ts';
export * from './core/index.ts';
export type {
  EncodeContext,
  EventBatch,
  Front,
  FrontRequest,
  ModelInfo,
  TurnDecoder,
  TurnEncoder,
  Upstream,
  UpstreamCall,
  UpstreamKind,
  UpstreamOptions,
} from './dialects/dialect.ts';
export { type StartedGateway, type StartGatewayOptions, startGateway } from './server/start-gateway.ts';
