// What a schema cannot say: rules between keys, and what this version offers.
import { nearestName } from '../core/index.ts';
import { isLoopbackHost } from './loopback.ts';
import { type Config, joinOr, type ModelConfig } from './schema.ts';
import type { ConfigPath } from './source-document.ts';

export interface Finding {
  readonly path: ConfigPath;
  readonly part: 'key' | 'value';
  readonly message: string;
}

/** Kinds that speak to any server of their protocol and so have no address of their own. */
const KINDS_WITHOUT_ADDRESS: readonly string[] = ['openai-chat'];
/** A slash would make `upstream/model` ambiguous. */
const UPSTREAM_NAME = /^[A-Za-z0-9][\w.-]*$/;

export function checkConfig(config: Config, kinds: readonly string[]): Finding[] {
  return [
    ...checkServer(config),
    ...Object.keys(config.upstreams).flatMap((name) => checkUpstream(config, name, kinds)),
    ...Object.entries(config.models).flatMap(([name, model]) => checkModel(config, name, model)),
    ...checkStore(config),
  ];
}

function checkServer({ server }: Config): Finding[] {
  if (server.auth === 'keys' || isLoopbackHost(server.host)) return [];
  return [
    {
      path: ['server', 'host'],
      part: 'value',
      message:
        `server.host ${server.host} can be reached from other machines, and server.auth is none, so anybody could ` +
        'use your models. Set server.auth to keys and make one with `crosspoint keys create`, or bind to 127.0.0.1.',
    },
  ];
}

function checkUpstream(config: Config, name: string, kinds: readonly string[]): Finding[] {
  const upstream = config.upstreams[name];
  const path = ['upstreams', name];
  const findings: Finding[] = [];
  if (!upstream) return findings;
  if (!UPSTREAM_NAME.test(name)) {
    const message = `upstreams: the name ${JSON.stringify(name)} may hold letters, digits, ".", "_" and "-" only.`;
    findings.push({ path, part: 'key', message });
  }
  if (!kinds.includes(upstream.kind)) {
    const nearest = nearestName(upstream.kind, kinds);
    const hint = nearest ? `Did you mean ${nearest}?` : `This version has ${joinOr(kinds)}.`;
    const message = `upstreams.${name}.kind ${JSON.stringify(upstream.kind)} is not known. ${hint}`;
    findings.push({ path: [...path, 'kind'], part: 'value', message });
  } else if (KINDS_WITHOUT_ADDRESS.includes(upstream.kind) && upstream.baseUrl === undefined) {
    const message = `upstreams.${name}.baseUrl is missing. Give the address of the server, e.g. http://127.0.0.1:8000/v1.`;
    findings.push({ path, part: 'key', message });
  }
  return findings;
}

function checkModel(config: Config, name: string, model: ModelConfig): Finding[] {
  const path = ['models', name];
  const hasOne = model.upstream !== undefined || model.model !== undefined;
  if (model.targets !== undefined && hasOne) {
    const message = `models.${name} has both targets and upstream or model. Keep one of the two.`;
    return [{ path: [...path, 'targets'], part: 'key', message }];
  }
  if (model.targets === undefined) {
    if (model.upstream === undefined) {
      const message = `models.${name} leads nowhere. Give upstream and model, or a list of targets.`;
      return [{ path, part: 'key', message }];
    }
    return checkUpstreamName(config, model.upstream, [...path, 'upstream'], `models.${name}.upstream`);
  }
  if (model.targets.length === 0) {
    return [
      {
        path: [...path, 'targets'],
        part: 'value',
        message: `models.${name}.targets is empty. Name at least one.`,
      },
    ];
  }
  return model.targets.flatMap((target, index) => {
    const slash = target.indexOf('/');
    const at: ConfigPath = [...path, 'targets', index];
    const label = `models.${name}.targets[${index}]`;
    if (slash < 1 || slash === target.length - 1) {
      const message = `${label} must be written as upstream/model, not ${JSON.stringify(target)}.`;
      return [{ path: at, part: 'value' as const, message }];
    }
    return checkUpstreamName(config, target.slice(0, slash), at, label);
  });
}

/** Without `upstreams:` the names come from discovery and are not known yet; the router checks them at the start. */
function checkUpstreamName(config: Config, name: string, path: ConfigPath, label: string): Finding[] {
  const configured = Object.keys(config.upstreams);
  if (configured.length === 0) return [];
  const known = [...new Set([...configured, 'demo'])];
  if (known.includes(name)) return [];
  const nearest = nearestName(name, known);
  const hint = nearest ? `Did you mean ${nearest}?` : `There are ${known.join(', ')}.`;
  return [{ path, part: 'value', message: `${label} names no upstream: ${JSON.stringify(name)}. ${hint}` }];
}

function checkStore({ store }: Config): Finding[] {
  if (store.kind !== 'redis') return [];
  const message = 'store.kind redis is not in this version yet. It has memory and sqlite.';
  return [{ path: ['store', 'kind'], part: 'value', message }];
}
