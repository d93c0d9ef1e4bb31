import { createHash } from 'node:crypto';
import { omitUndefined } from '../../core/index.ts';
import type { DocumentShelf } from '../../dialects/dialect.ts';
import type { NativeContext } from '../../dialects/native-front.ts';
import { shelfOf } from '../../gateway/document-shelf.ts';
import type { Identity } from '../auth.ts';
import type { Exchange } from '../exchange.ts';
import type { NativeRoutesOptions } from './native-options.ts';

export interface ContextSource {
  readonly exchange: Exchange;
  readonly identity: Identity;
  readonly dialect: string;
  readonly signal?: AbortSignal;
}

export function createNativeContext(options: NativeRoutesOptions, source: ContextSource): NativeContext {
  const { exchange, identity, dialect } = source;
  const owner = identity.keyId ?? '';
  return {
    ...omitUndefined({ keyName: identity.keyName, allowedModels: identity.allowedModels }),
    owner,
    headers: exchange.headers,
    origin: originOf(exchange),
    signal: source.signal ?? exchange.signal,
    documents: withShortIds(shelfOf(options.documents, owner)),
    newId: options.newId,
    nowMs: options.nowMs,
    onDrift: (kind) => options.onDrift(dialect, kind),
  };
}

/** Honest ids are UUIDs and hashes. A store bounds what it keeps, and counts on names being short. */
const MAX_ID_LENGTH = 256;

function withShortIds(shelf: DocumentShelf): DocumentShelf {
  const shorten = (id: string) =>
    id.length <= MAX_ID_LENGTH ? id : `sha256 ${createHash('sha256').update(id).digest('hex')}`;
  return {
    get: (kind, id) => shelf.get(kind, shorten(id)),
    put: (kind, id, value) => shelf.put(kind, shorten(id), value),
    delete: (kind, id) => shelf.delete(kind, shorten(id)),
  };
}

/** A proxy in front of us may speak TLS for us; it matters only to the client that says so. */
function originOf({ headers, request }: Exchange): string {
  const forwarded = headers['x-forwarded-proto']?.split(',', 1)[0]?.trim().toLowerCase();
  const isTls = forwarded === 'https' || (forwarded !== 'http' && 'encrypted' in request.socket);
  return `${isTls ? 'https' : 'http'}://${headers.host ?? '127.0.0.1'}`;
}
