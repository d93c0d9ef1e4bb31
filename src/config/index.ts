export { ensureAdminToken, readAdminToken } from './admin-token.ts';
export { formatPath } from './config-problem.ts';
export { type CredentialVault, credentialName, openCredentialVault } from './credentials.ts';
export { type CompleteConfig, completeConfig, type Discovery, discoverUpstreams } from './discover.ts';
export { type Override, variableFor } from './env-overrides.ts';
export { errnoOf } from './errno.ts';
export type { Env } from './expand-env.ts';
export { configCandidates, findConfigFile, type Surroundings } from './find-config-file.ts';
export { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts';
export { isLoopbackHost } from './loopback.ts';
export { ensureStateHome, type StatePaths, statePaths, storePath } from './paths.ts';
export { findPlainSecrets } from './plain-secrets.ts';
export { type Probe, probeModels } from './probe-models.ts';
export { readSection } from './read-section.ts';
export {
  type IsAlive,
  isProcessAlive,
  listGateways,
  type RunningGateway,
  registerGateway,
  unregisterGateway,
} from './running-gateways.ts';
export {
  type Config,
  DEFAULT_HOST,
  DEFAULT_PORT,
  defaultConfig,
  isHttpUrl,
  joinOr,
  LOG_LEVELS,
  type ModelConfig,
  makeUpstream,
  type UpstreamConfig,
} from './schema.ts';
export { collectSecrets } from './secrets.ts';
