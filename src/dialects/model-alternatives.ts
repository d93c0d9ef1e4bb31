// Other readings of a model name. Cursor writes choices of its menu into the name (`-thinking-xhigh-fast`, `-high`),
// users add `(high)` or `:high`, and prefixes keep Cursor from taking a name for one of its own. Known from public
// gateways' tests; the router tries the exact name first, so a model that is really called so is found.
import { type ModelAlternative, omitUndefined } from '../core/index.ts';

const EFFORTS: Readonly<Record<string, string>> = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  'extra-high': 'xhigh',
  extra: 'xhigh',
  max: 'max',
};

const LEVEL = 'none|minimal|low|medium|high|xhigh|extra-high|extra|max';
const LEVEL_SUFFIX = new RegExp(`^(.+?)(?:-|:|\\s*\\()(${LEVEL})\\)?$`, 'i');
const FAST_SUFFIX = /^(.+?)(?:-|:|\s*\()fast\)?$/i;
const THINKING_SUFFIX = /^(.+)-thinking$/i;

/** Prefixes that only mean "this gateway". */
const OWN_PREFIX = /^~?(?:(?:crosspoint|byok)[/:-])?/i;

/** OpenAI's own names, which the check of a key sends and which need not exist here. */
const STOCK_NAME = /^(?:gpt-\d|chatgpt-|o\d(?:-|$)|text-davinci)/i;

/** Longer than any name; what is longer is not worth the search. */
const MAX_NAME_CHARACTERS = 256;

export function listModelAlternatives(model: string): ModelAlternative[] {
  if (model.length > MAX_NAME_CHARACTERS) return [];
  const bare = model.replace(OWN_PREFIX, '');
  const found = new Map<string, ModelAlternative>();
  const offer = (alternative: ModelAlternative) => {
    const { model: name } = alternative;
    if (name !== model && !found.has(name)) found.set(name, alternative);
  };
  for (const name of [model, bare, asTarget(bare)]) {
    if (name !== '') for (const reading of readSuffixes(name)) offer(reading);
  }
  if (STOCK_NAME.test(bare)) offer({ ...readSuffixes(bare).at(-1), model: '' });
  return [...found.values()];
}

/** `anthropic:opus` is how several vendors tell users to write `anthropic/opus`. */
function asTarget(name: string): string {
  return name.includes('/') ? name : name.replace(':', '/');
}

/** The name itself, then with one suffix after another taken off; a token that is not known ends the search. */
function readSuffixes(name: string): ModelAlternative[] {
  const readings: ModelAlternative[] = [{ model: name }];
  let current: { model: string; reasoningEffort?: string; serviceTier?: string } = { model: name };
  for (;;) {
    const fast = current.serviceTier === undefined ? FAST_SUFFIX.exec(current.model) : null;
    const level = current.reasoningEffort === undefined ? LEVEL_SUFFIX.exec(current.model) : null;
    if (fast?.[1] !== undefined) current = { ...current, model: fast[1], serviceTier: 'priority' };
    else if (level?.[1] !== undefined) {
      const reasoningEffort = EFFORTS[(level[2] ?? '').toLowerCase()];
      current = omitUndefined({ ...current, model: level[1], reasoningEffort });
    } else break;
    readings.push(current);
  }
  const thinking = THINKING_SUFFIX.exec(current.model)?.[1];
  if (thinking !== undefined) readings.push({ ...current, model: thinking });
  return readings;
}
