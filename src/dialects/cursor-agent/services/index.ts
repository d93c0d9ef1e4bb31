export { AGENT_SERVICES, createAgentServices } from './create-agent-services.ts';
export { listModelAliases } from './model-aliases.ts';
export type { AgentServicesOptions } from './services-options.ts';
