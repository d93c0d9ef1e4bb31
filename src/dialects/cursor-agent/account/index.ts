export {
  type AccountAnswer,
  type AccountCall,
  type AccountRequest,
  createFetchCall,
} from './account-call.ts';
export { readAccountName } from './account-name.ts';
export { type AgentCredentialsOptions, createAgentCredentials } from './agent-credentials.ts';
export { type Backend, endSession, exchangeApiKey } from './auth-endpoints.ts';
export { awaitBrowserLogin, type LoginAttempt, startBrowserLogin } from './browser-login.ts';
export type { Grant } from './grant.ts';
export { CURSOR_BASE_URL, loginAdvice } from './login-advice.ts';
export { readTokenClaims } from './token-claims.ts';
