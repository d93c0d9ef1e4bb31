export type { Elicit, Elicitation, ElicitationAnswer } from './elicitation.ts';
export { fileStore, type KeyedStore, memoryStore } from './keyed-store.ts';
export { type LoadedDefinitions, loadDefinitions } from './load-definitions.ts';
export { type McpHub, type McpHubOptions, openMcpHub } from './mcp-hub.ts';
export { type McpConfig, mcpSchema, type ServerConfig } from './mcp-schema.ts';
export type { ClientFilesOptions } from './read-client-files.ts';
export { runtimeMcp } from './runtime-mcp.ts';
export type { ServerDefinition } from './server-definition.ts';
export type { SignInAttempt, SignInPort } from './sign-in.ts';
