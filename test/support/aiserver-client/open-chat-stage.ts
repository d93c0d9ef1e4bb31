import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../../src/config/index.ts';
import {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptOptions,
  startScriptedModel,
} from '../native-client/scripted-model.ts';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import type { CarrierKind } from './carrier.ts';
import { ChatClient, type ChatClientOptions } from './chat-client.ts';
import { Workspace, type WorkspaceOptions } from './workspace.ts';

export interface StageOptions {
  /** The rounds of a scripted model, `up/m`; without them only the demo model is there. */
  readonly rounds?: readonly (readonly ScriptedCall[])[];
  readonly script?: ScriptOptions;
  readonly config?: (config: Config) => Config;
}

export interface ClientOnStage
  extends Omit<WorkspaceOptions, 'folder'>,
    Partial<Omit<ChatClientOptions, 'url' | 'carrier' | 'workspace'>> {
  readonly files?: Readonly<Record<string, string>>;
}

/** A gateway, a model and any number of clients with a folder each, all gone at the end. */
export interface Stage {
  readonly gateway: TestGateway;
  readonly model: ScriptedModel | undefined;
  client(carrier: CarrierKind, options?: ClientOnStage): Promise<ChatClient>;
  stop(): Promise<void>;
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const folders: string[] = [];
  const model = options.rounds && (await startScriptedModel(options.rounds, options.script));
  const gateway = await startTestGateway({
    ...(model ? { upstreams: { up: { kind: 'openai-chat', baseUrl: model.baseUrl, models: ['m'] } } } : {}),
    ...(options.config ? { config: options.config } : {}),
  });
  return {
    gateway,
    model,
    client: async (carrier, { files = {}, mcpTools, before, ...given } = {}) => {
      const folder = await mkdtemp(join(tmpdir(), 'crosspoint-chat-'));
      folders.push(folder);
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      const workspace = new Workspace({
        folder,
        ...(mcpTools ? { mcpTools } : {}),
        ...(before ? { before } : {}),
      });
      return new ChatClient({
        url: gateway.url,
        carrier,
        workspace,
        model: model ? 'up/m' : 'demo/demo',
        ...given,
      });
    },
    stop: async () => {
      await gateway.stop();
      await model?.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
