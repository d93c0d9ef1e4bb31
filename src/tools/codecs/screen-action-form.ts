// `agent.v1.ComputerUseAction`: one member per kind of step, with the place as a nested point. The tool takes flat steps.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { type CallForm, extend, named, present } from './call-form.ts';
import { objectAt } from './search-forms.ts';

const PLACED = new Set(['mouse_move', 'click', 'scroll']);

export const SCREEN_ACTIONS: CallForm = extend(named('description'), {
  encode: ({ actions }) => ({
    actions: Array.isArray(actions) ? actions.filter(isJsonObject).map(nest) : undefined,
  }),
  decode: ({ actions }) => ({
    actions: Array.isArray(actions) ? actions.filter(isJsonObject).map(flatten) : undefined,
  }),
});

function nest({ type, x, y, duration_ms, ...rest }: JsonObject): JsonObject {
  const kind = String(type);
  const isPlaced = PLACED.has(kind) && (x !== undefined || y !== undefined);
  const step = present({
    ...rest,
    coordinate: isPlaced ? present({ x, y }) : undefined,
    [kind === 'key' ? 'hold_duration_ms' : 'duration_ms']: duration_ms,
  });
  return { [kind]: step };
}

function flatten(action: JsonObject): JsonObject {
  const [kind] = Object.keys(action);
  if (kind === undefined) return {};
  const step = objectAt(action, kind);
  const { coordinate, hold_duration_ms, duration_ms, path, ...rest } = step;
  const at = isJsonObject(coordinate) ? point(coordinate) : {};
  const points = Array.isArray(path) ? path.filter(isJsonObject).map(point) : undefined;
  return present({ type: kind, ...at, ...rest, path: points, duration_ms: duration_ms ?? hold_duration_ms });
}

/** A coordinate of 0 is not written on the wire. */
function point({ x, y }: JsonObject): { x: JsonValue; y: JsonValue } {
  return { x: x ?? 0, y: y ?? 0 };
}
