import type { Config, CredentialVault, Env, IsAlive, Probe, StatePaths } from '../config/index.ts';
import type { Front, UpstreamKind } from '../dialects/dialect.ts';
import type { Log, Redactor } from '../observe/index.ts';
import type { OpenStoreOptions, Store } from '../store/index.ts';

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
}

/** A gateway that runs in this process. */
export interface StartedGateway {
  readonly url: string;
  readonly port: number;
  models(): Promise<
    readonly { readonly id: string; readonly upstream: string; readonly contextWindow?: number }[]
  >;
  close(): Promise<void>;
  /** Settles when the gateway is down, whoever closed it. */
  readonly closed: Promise<void>;
}

export interface StartGatewayOptions {
  readonly config: Config;
  readonly paths: StatePaths;
  readonly adminToken: string;
  readonly version: string;
  readonly log?: Log;
  /** Strings that must appear in no log line and in no answer. */
  readonly secrets?: readonly string[];
  readonly vault?: CredentialVault;
  readonly workspace?: string;
  readonly env?: Env;
  readonly redactor?: Redactor;
}

export type StartGateway = (options: StartGatewayOptions) => Promise<StartedGateway>;

/** Everything a command takes from outside. Tests hand in their own; only `main.ts` knows the real process. */
export interface CliContext {
  readonly env: Env;
  readonly cwd: string;
  readonly home: string;
  readonly pid: number;
  readonly version: string;
  readonly nodeVersion: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly nowMs: () => number;
  readonly fetch: typeof fetch;
  readonly isAlive: IsAlive;
  readonly probe?: Probe;
  /** Loaded on demand, so that `--help` and `--version` are quick. */
  readonly dialects: () => Promise<{
    readonly kinds: readonly UpstreamKind[];
    readonly fronts: readonly Front[];
    /** Dialects of native clients, by name. */
    readonly natives: readonly string[];
  }>;
  readonly startGateway: StartGateway;
  readonly openStore: (options: OpenStoreOptions) => Promise<Store>;
  /** Calls back on SIGINT and SIGTERM until the returned function is called. */
  readonly onSignal: (listener: (signal: 'SIGINT' | 'SIGTERM') => void) => () => void;
  /** Ends the process at once; for a second Ctrl-C. */
  readonly exitNow: (code: number) => void;
}
