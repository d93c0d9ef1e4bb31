import { z } from 'zod';
import { ensureStateHome, storePath } from '../config/index.ts';
import { GatewayError, omitUndefined } from '../core/index.ts';
import { createdKeySchema, keySchema } from '../server/admin/schema.ts';
import type { KeyRecord, NewKey } from '../store/index.ts';
import { findAdminClient } from './admin-client.ts';
import type { CliContext } from './context.ts';
import { loadSettings } from './load-settings.ts';

const keyListSchema = z.object({ keys: z.array(keySchema) });

/** Where keys are made and unmade: the running gateway, or its store when none runs. */
export interface KeyDesk {
  create(key: NewKey): Promise<{ readonly record: KeyRecord; readonly secret: string }>;
  list(): Promise<readonly KeyRecord[]>;
  revoke(id: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function openKeyDesk(context: CliContext): Promise<KeyDesk> {
  return (await openRemoteDesk(context)) ?? openLocalDesk(context);
}

async function openRemoteDesk(context: CliContext): Promise<KeyDesk | undefined> {
  const client = await findAdminClient(context);
  if (!client) return undefined;
  return {
    create: async (key) => {
      const { key: record, secret } = createdKeySchema.parse(await client.post('/api/keys', key));
      return { record: omitUndefined(record), secret };
    },
    list: async () => {
      const { keys } = keyListSchema.parse(await client.get('/api/keys'));
      return keys.map((record) => omitUndefined(record));
    },
    revoke: (id) =>
      client.delete(`/api/keys/${encodeURIComponent(id)}`).then(
        () => true,
        (thrown: unknown) => {
          if (thrown instanceof GatewayError && thrown.code === 'not-found') return false;
          throw thrown;
        },
      ),
    close: async () => {},
  };
}

async function openLocalDesk(context: CliContext): Promise<KeyDesk> {
  const { config, paths } = await loadSettings(context, { probesPorts: false });
  if (config.store.kind !== 'sqlite') {
    throw new GatewayError(
      'conflict',
      `store.kind is ${config.store.kind}, so keys live in a running gateway only. Start one with \`crosspoint serve\`.`,
    );
  }
  await ensureStateHome(paths);
  const store = await context.openStore({
    kind: 'sqlite',
    path: storePath(config, paths),
    clock: context.nowMs,
  });
  return {
    create: (key) => store.keys.create(key),
    list: () => store.keys.list(),
    revoke: (id) => store.keys.revoke(id),
    close: () => store.close(),
  };
}
