import { GatewayError } from '../../core/index.ts';
import type { Store, StoreContext } from '../ports.ts';
import { type LoadDriver, openDatabase } from './database.ts';
import { createSqliteDocuments } from './sqlite-documents.ts';
import { createSqliteJournal } from './sqlite-journal.ts';
import { createSqliteKeys } from './sqlite-keys.ts';

/** One file, shared by every process of this machine that opens it. */
export async function openSqliteStore(
  path: string,
  context: StoreContext,
  loadDriver?: LoadDriver,
): Promise<Store> {
  const database = await openDatabase(path, loadDriver);
  const journal = createSqliteJournal(database, context.maxTurns);
  const probe = database.prepare('SELECT count(*) FROM keys');
  let isClosed = false;
  return {
    kind: 'sqlite',
    keys: createSqliteKeys(database, context),
    journal,
    documents: createSqliteDocuments(database, context.documents, context.clock),
    async check() {
      if (isClosed) throw new GatewayError('internal', `The database ${path} is closed.`);
      probe.all();
      if (journal.lastFailure !== undefined) {
        throw new GatewayError('internal', `The journal cannot be written to ${path}; check the disk.`, {
          cause: journal.lastFailure,
        });
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      journal.stop();
      // libsql leaves the -wal file as it is; folding it in makes the one file complete for whoever copies it.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
}
