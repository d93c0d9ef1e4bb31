import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../../src/config/index.ts';
import { omitUndefined } from '../../../src/core/index.ts';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import type { CarrierKind } from './carrier.ts';
import { type NativeAgent, NativeClient } from './native-client.ts';
import {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptOptions,
  startScriptedModel,
} from './scripted-model.ts';
import { Workspace, type WorkspaceOptions } from './workspace/index.ts';

export interface StageOptions {
  /** The rounds of a scripted model, `up/m`; without them only the demo model is there. */
  readonly rounds?: readonly (readonly ScriptedCall[])[];
  readonly script?: ScriptOptions;
  readonly config?: (config: Config) => Config;
  /** The certificate that clients trust, where the gateway has one. */
  readonly ca?: string;
}

/** A gateway, a model and any number of clients with a folder each, all gone at the end. */
export interface Stage {
  readonly gateway: TestGateway;
  readonly model: ScriptedModel | undefined;
  newFolder(files?: Readonly<Record<string, string>>): Promise<string>;
  client(carrier: CarrierKind, apiKey?: string): NativeClient;
  /** An agent of its own client in a folder of its own. */
  agent(carrier: CarrierKind, options?: AgentOnStage): Promise<{ agent: NativeAgent; workspace: Workspace }>;
  stop(): Promise<void>;
}

export interface AgentOnStage extends Omit<WorkspaceOptions, 'folder'> {
  readonly files?: Readonly<Record<string, string>>;
  readonly model?: string;
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const folders: string[] = [];
  const workspaces: Workspace[] = [];
  const model = options.rounds && (await startScriptedModel(options.rounds, options.script));
  const gateway = await startTestGateway({
    ...(model ? { upstreams: { up: { kind: 'openai-chat', baseUrl: model.baseUrl, models: ['m'] } } } : {}),
    ...(options.config ? { config: options.config } : {}),
  });
  const newFolder = async (files: Readonly<Record<string, string>> = {}) => {
    const folder = await mkdtemp(join(tmpdir(), 'crosspoint-native-'));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return folder;
  };
  const client = (carrier: CarrierKind, apiKey = 'any') =>
    new NativeClient(omitUndefined({ url: gateway.url, apiKey, carrier, ca: options.ca }));
  return {
    gateway,
    model,
    newFolder,
    client,
    agent: async (carrier, { files, model: name, ...workspaceOptions } = {}) => {
      const workspace = new Workspace({ folder: await newFolder(files), ...workspaceOptions });
      workspaces.push(workspace);
      const agent = client(carrier).openAgent({ workspace, model: name ?? (model ? 'up/m' : 'demo/demo') });
      return { agent, workspace };
    },
    stop: async () => {
      for (const workspace of workspaces) workspace.shells.stop();
      await gateway.stop();
      await model?.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Every file below a folder by its path there. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.sort().map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}
