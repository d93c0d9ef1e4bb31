// Signing in to an HTTP server: OAuth 2.1 with PKCE, metadata discovery and dynamic registration as the MCP
// authorization specification (2025-11-25) asks; the SDK walks the steps, this keeps what they need. Tokens are kept
// per address, so that no server ever gets another one's.
import {
  type AuthProvider,
  auth,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../core/index.ts';
import type { KeyedStore } from './keyed-store.ts';
import { McpFault } from './mcp-fault.ts';
import type { ServerConfig } from './mcp-schema.ts';

export interface OAuthSessionOptions {
  readonly url: URL;
  readonly oauth: ServerConfig['oauth'];
  readonly store: KeyedStore;
  /** Told every token, so that none appears in a message. */
  onSecret(secret: string): void;
}

export class OAuthSession implements OAuthClientProvider {
  readonly #options: OAuthSessionOptions;
  readonly #key: string;
  #redirectUrl: string | undefined;
  #show: ((url: URL) => void | Promise<void>) | undefined;
  #verifier: string | undefined;
  #state: string | undefined;
  #discovery: OAuthDiscoveryState | undefined;

  constructor(options: OAuthSessionOptions) {
    this.#options = options;
    this.#key = JSON.stringify(['oauth', options.url.origin + options.url.pathname]);
  }

  /** Without it the session only uses and refreshes what it has, and never opens a browser. */
  beginSignIn(redirectUrl: string, show: (url: URL) => void | Promise<void>): void {
    this.#redirectUrl = redirectUrl;
    this.#show = show;
    this.#discovery = undefined;
  }

  endSignIn(): void {
    this.#redirectUrl = undefined;
    this.#show = undefined;
    this.#verifier = undefined;
    this.#state = undefined;
  }

  /** The browser must come back with the very state it left with. */
  isOwnState(state: string | null): boolean {
    return this.#state !== undefined && state === this.#state;
  }

  /** For requests to the server itself: a token when there is one, a refreshed one when it is refused. */
  bearer(): AuthProvider {
    return {
      token: async () => (await this.tokens())?.access_token,
      onUnauthorized: async ({ serverUrl }) => {
        const tokens = await this.tokens();
        if (tokens?.refresh_token === undefined) throw new UnauthorizedError('There is no valid token.');
        // Not with the fetch on offer: that one would send the definition's headers to whoever issues the tokens.
        const result = await auth(this, { serverUrl });
        if (result !== 'AUTHORIZED') throw new UnauthorizedError('The token could not be refreshed.');
      },
    };
  }

  /** Without any the SDK would take this for a client that signs in by itself; outside a sign-in none is ever used. */
  get redirectUrl(): string {
    return this.#redirectUrl ?? 'http://127.0.0.1/';
  }

  get clientMetadata(): OAuthClientMetadata {
    return omitUndefined({
      client_name: 'Crosspoint',
      redirect_uris: this.#redirectUrl === undefined ? [] : [this.#redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method:
        this.#options.oauth?.clientSecret === undefined ? 'none' : 'client_secret_post',
      scope: this.#options.oauth?.scope,
    });
  }

  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { oauth } = this.#options;
    if (oauth) return omitUndefined({ client_id: oauth.clientId, client_secret: oauth.clientSecret });
    const { client, redirectUrl } = await this.#read();
    // A registration names its redirect address; with another one the sign-in would be refused.
    const isStale = this.#redirectUrl !== undefined && redirectUrl !== this.#redirectUrl;
    return isStale ? undefined : (client as StoredOAuthClientInformation | undefined); // written below, by the SDK's own value
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#change({ client: toJson(client), redirectUrl: this.#redirectUrl });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    const { tokens } = await this.#read();
    const stored = tokens as StoredOAuthTokens | undefined; // written below, by the SDK's own value
    if (stored) this.#hide(stored);
    return stored;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.#hide(tokens);
    await this.#change({ tokens: toJson(tokens) });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    // The address comes from the server's metadata and will be handed to a browser, perhaps by way of a shell.
    const isLocal = url.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
    if (url.protocol !== 'https:' && !isLocal)
      throw new McpFault('EACCES', `The sign-in address begins with ${url.protocol}; only https is opened.`);
    if (!this.#show) throw new UnauthorizedError('The user has to sign in again.');
    await this.#show(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new UnauthorizedError('No sign-in is under way.');
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
    if (scope === 'all' || scope === 'verifier') this.#verifier = undefined;
    if (scope === 'all' || scope === 'tokens') await this.#change({ tokens: undefined });
    if (scope === 'all' || scope === 'client')
      await this.#change({ client: undefined, redirectUrl: undefined });
  }

  #hide({ access_token, refresh_token }: StoredOAuthTokens): void {
    this.#options.onSecret(access_token);
    if (refresh_token !== undefined) this.#options.onSecret(refresh_token);
  }

  async #read(): Promise<JsonObject> {
    const value = await this.#options.store.get(this.#key);
    return isJsonObject(value) ? value : {};
  }

  async #change(edit: Readonly<Record<string, JsonValue | undefined>>): Promise<void> {
    const next = omitUndefined({ ...(await this.#read()), ...edit }) as JsonObject; // just freed of undefined
    await this.#options.store.set(this.#key, next);
  }
}

function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue; // what JSON.parse gives
}
