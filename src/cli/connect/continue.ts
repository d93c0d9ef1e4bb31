// Continue's config.yaml: one entry under `models`. Known from docs.continue.dev/reference.
import path from 'node:path';
import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { GatewayError } from '../../core/index.ts';
import type { ConnectClient, ConnectTarget } from './client.ts';

const ENTRY_NAME = 'Crosspoint';

function edit({ url, key, model }: ConnectTarget, before: string): string {
  const document = parseDocument(before);
  const [error] = document.errors;
  if (error) throw leftAlone(`is not valid YAML (${error.message.split('\n', 1)[0]})`);
  if (document.contents !== null && !isMap(document.contents)) throw leftAlone('holds no mapping of keys');
  const original = JSON.stringify(document.toJS());
  if (document.contents === null) {
    for (const [name, value] of [
      ['name', 'Local config'],
      ['version', '1.0.0'],
      ['schema', 'v1'],
    ])
      document.set(name, value);
  }
  const entry = findEntry(document);
  const values = { name: ENTRY_NAME, provider: 'openai', model, apiBase: `${url}/v1`, apiKey: key };
  for (const [name, value] of Object.entries(values)) entry.set(name, value);
  // Writing a document out again may move its spaces; that is only worth it when something has changed.
  if (JSON.stringify(document.toJS()) === original) return before;
  return document.toString({ lineWidth: 0 });
}

function findEntry(document: Document): YAMLMap {
  const models = document.get('models');
  if (models === undefined || models === null) document.set('models', document.createNode([]));
  const list = document.get('models');
  if (!isSeq(list)) throw leftAlone('has a `models` that is no list');
  list.flow = false;
  const existing = list.items.find((item) => isMap(item) && item.get('name') === ENTRY_NAME);
  if (isMap(existing)) return existing;
  const entry = document.createNode({}) as YAMLMap; // an object always becomes a map
  list.add(entry);
  return entry;
}

function leftAlone(what: string): GatewayError {
  return new GatewayError('conflict', `The file ${what} and was left alone. Mend it and try again.`);
}

export const continueClient: ConnectClient = {
  name: 'continue',
  title: 'Continue',
  front: 'openai-chat',
  describe: (target) => `Put this into ~/.continue/config.yaml:\n\n${edit(target, '')}`,
  settings: {
    files: ({ home }) => [path.join(home, '.continue', 'config.yaml')],
    edit: (target) => (before) => edit(target, before),
  },
};
