import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * A name lookup that gives only addresses the caller may connect to. The check sits at the moment of connecting, so
 * that a name which answers differently the second time gains nothing. Literal addresses are never looked up: whoever
 * takes a URL from outside checks those itself.
 */
export function guardedLookup(mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const all: LookupAllOptions = { ...options, all: true };
    lookup(hostname, all, (error, found) => {
      if (error) return callback(error, '', 0);
      const refused = found.find(({ address }) => !mayConnect(address));
      const [first] = found;
      if (refused || !first) return callback(refusal(hostname, refused), '', 0);
      // Node asks for one address or for all of them, and takes the answer in the same place.
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function refusal(hostname: string, refused: LookupAddress | undefined): NodeJS.ErrnoException {
  const where = refused === undefined ? 'has no address' : `leads to ${refused.address}, which is not public`;
  return Object.assign(new Error(`${hostname} ${where}.`), { code: 'EACCES' });
}
