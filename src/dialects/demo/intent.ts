import type { JsonObject } from '../../core/index.ts';

/** Something the user wants done with a tool. */
export type ToolIntent = (
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'search'; readonly pattern: string; readonly path?: string }
  | { readonly kind: 'find'; readonly glob: string; readonly path?: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | {
      readonly kind: 'edit';
      readonly path: string;
      readonly oldText: string;
      readonly newText: string;
      readonly isForAll: boolean;
    }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'fetch'; readonly url: string }
  | { readonly kind: 'web-search'; readonly query: string }
  | { readonly kind: 'todo'; readonly items: readonly string[] }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonObject | string }
) & {
  /** A tool the user named ("use the bash tool to …"). */
  readonly toolHint?: string;
};

/** Something the model answers by itself. */
export type TalkIntent =
  | { readonly kind: 'calculate'; readonly expression: string }
  | { readonly kind: 'tell'; readonly what: string }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'greet' }
  | { readonly kind: 'introduce' }
  | { readonly kind: 'list-tools' };

export type Intent = ToolIntent | TalkIntent;
export type ToolIntentKind = ToolIntent['kind'];

const TALK_KINDS: ReadonlySet<string> = new Set([
  'calculate',
  'tell',
  'say',
  'greet',
  'introduce',
  'list-tools',
]);

export function isToolIntent(intent: Intent): intent is ToolIntent {
  return !TALK_KINDS.has(intent.kind);
}

/** A short phrase in the imperative, for descriptions, plans and reports. */
export function describeIntent(intent: ToolIntent): string {
  switch (intent.kind) {
    case 'read':
      return `read ${intent.path}`;
    case 'run':
      return `run ${shorten(intent.command)}`;
    case 'list':
      return intent.path === '.' ? 'list the files' : `list ${intent.path}`;
    case 'search':
      return `search for ${shorten(intent.pattern)}${intent.path === undefined ? '' : ` in ${intent.path}`}`;
    case 'find':
      return `find files matching ${intent.glob}${intent.path === undefined ? '' : ` in ${intent.path}`}`;
    case 'write':
      return `write ${intent.path}`;
    case 'edit':
      return `replace text in ${intent.path}`;
    case 'delete':
      return `delete ${intent.path}`;
    case 'fetch':
      return `fetch ${intent.url}`;
    case 'web-search':
      return `search the web for ${shorten(intent.query)}`;
    case 'todo':
      return `remember ${intent.items.length === 1 ? 'a task' : `${intent.items.length} tasks`}`;
    case 'call':
      return `call ${intent.tool}`;
    default:
      return intent satisfies never;
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const points = [...line];
  return points.length > 60 ? `${points.slice(0, 59).join('')}…` : line;
}
