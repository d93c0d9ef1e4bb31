// A model's steps at a screen, as one flat object each; `agent.v1.ComputerUseAction` nests them (`{ click: { … } }`).
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../../../core/index.ts';
import type { ScreenAction } from './media-ports.ts';

const TYPES = [
  'mouse_move',
  'click',
  'mouse_down',
  'mouse_up',
  'drag',
  'scroll',
  'type',
  'key',
  'wait',
  'screenshot',
  'cursor_position',
] as const;
const BUTTONS = ['left', 'right', 'middle', 'back', 'forward'] as const;
const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;

const pointSchema = z.object({ x: z.number().int(), y: z.number().int() });

const flatSchema = z.object({
  type: z.enum(TYPES).describe('What to do.'),
  x: z.number().int().optional().describe('Where, in pixels from the left.'),
  y: z.number().int().optional().describe('Where, in pixels from the top.'),
  button: z.enum(BUTTONS).default('left').describe('Which button of the mouse.'),
  count: z.number().int().min(1).max(3).default(1).describe('How often to click.'),
  path: z.array(pointSchema).max(100).optional().describe('For drag: the points to pass.'),
  direction: z.enum(DIRECTIONS).optional().describe('For scroll.'),
  amount: z.number().int().min(1).max(100).default(3).describe('For scroll: how far.'),
  text: z.string().max(10_000).optional().describe('For type: what to type.'),
  key: z.string().max(100).optional().describe('For key: which, e.g. Return or ctrl+s.'),
  duration_ms: z.number().int().min(0).max(60_000).optional().describe('For wait and for holding a key.'),
  modifier_keys: z.string().max(100).optional().describe('Keys held meanwhile, e.g. ctrl+shift.'),
});

export const screenActionSchema = z
  .preprocess(flatten, flatSchema)
  .transform((flat, context): ScreenAction => {
    const action = toAction(flat);
    if (typeof action !== 'string') return action;
    context.addIssue({ code: 'custom', message: `${flat.type} needs ${action}` });
    return z.NEVER;
  });

/** The action, or the name of what it lacks. */
function toAction(flat: z.output<typeof flatSchema>): ScreenAction | string {
  const { type, x, y, button } = flat;
  const at = x === undefined || y === undefined ? undefined : { x, y };
  const held = omitUndefined({ modifierKeys: flat.modifier_keys });
  switch (type) {
    case 'mouse_move':
      return at ? { type, at } : 'x and y';
    case 'click':
      return { type, button, count: flat.count, ...omitUndefined({ at }), ...held };
    case 'mouse_down':
    case 'mouse_up':
      return { type, button };
    case 'drag':
      return flat.path && flat.path.length >= 2
        ? { type, path: flat.path, button, ...held }
        : 'a path of two points';
    case 'scroll':
      return flat.direction
        ? { type, direction: flat.direction, amount: flat.amount, ...omitUndefined({ at }), ...held }
        : 'a direction';
    case 'type':
      return flat.text === undefined ? 'text' : { type, text: flat.text };
    case 'key':
      return flat.key === undefined
        ? 'a key'
        : { type, key: flat.key, ...omitUndefined({ holdMs: flat.duration_ms }) };
    case 'wait':
      return { type, durationMs: flat.duration_ms ?? 1_000 };
    case 'screenshot':
    case 'cursor_position':
      return { type };
  }
}

function flatten(given: unknown): unknown {
  if (!isJsonObject(given)) return given;
  const nested = TYPES.find((type) => isJsonObject(given[type]) || isJsonObject(given[camel(type)]));
  const inner = nested === undefined ? given : (given[nested] ?? given[camel(nested)]);
  if (!isJsonObject(inner)) return given;
  const flat: JsonObject = { ...inner, type: nested ?? given.type ?? given.action ?? '' };
  const coordinate = inner.coordinate;
  if (isJsonObject(coordinate)) Object.assign(flat, { x: coordinate.x ?? 0, y: coordinate.y ?? 0 });
  if (Array.isArray(coordinate)) Object.assign(flat, { x: coordinate[0], y: coordinate[1] });
  if (flat.hold_duration_ms !== undefined) flat.duration_ms = flat.hold_duration_ms;
  flat.button = unprefixed(flat.button, 'mouse_button_', BUTTONS);
  flat.direction = unprefixed(flat.direction, 'scroll_direction_', DIRECTIONS);
  return Object.fromEntries(
    Object.entries(flat).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Enums come by number or by their full name. */
function unprefixed(value: JsonValue | undefined, prefix: string, names: readonly string[]): JsonValue {
  if (typeof value === 'number') return names[value - 1] ?? null;
  return typeof value === 'string' ? value.toLowerCase().replace(prefix, '') : (value ?? null);
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
