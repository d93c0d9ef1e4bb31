// One prompt message of a conversation state, between the canon and its JSON.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
} from '../../../core/index.ts';
import { applyOverlay, overlayOf } from './json-overlay.ts';
import { asJson, decodePart, encodePart, ownOf, withOwn } from './prompt-parts.ts';

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

export interface PromptMessage {
  readonly message: Message;
  /** The model's last word in a run: there is nothing to take up after it. */
  readonly isAnswer: boolean;
}

export function encodePromptMessage({ message, isAnswer }: PromptMessage): string {
  const { role, content, id, ...rest } = message;
  const shape: JsonObject = { role: role === 'developer' ? 'system' : role };
  const firstResult = content.find((part) => part.type === 'tool-result');
  if (role === 'tool' && firstResult) shape.id = firstResult.callId;
  else if (id !== undefined) shape.id = id;
  const head = asJson({ role, ...(id === undefined ? {} : { id }), ...rest });
  const overlay = overlayOf(head, readHead(shape));
  const own = overlay || isAnswer ? { ...overlay, ...(isAnswer ? { isAnswer } : {}) } : undefined;
  // System messages of this shape are one text.
  const isPlain = shape.role === 'system' && content.length === 1 && isPlainText(content[0]);
  shape.content = isPlain ? textOfPart(content[0]) : content.map(encodePart);
  return JSON.stringify(withOwn(shape, own));
}

/** Undefined for what is no message at all. Parts of unknown kinds are left out and named to `onUnknown`. */
export function decodePromptMessage(
  json: string,
  onUnknown: (kind: string) => void,
): PromptMessage | undefined {
  const value = parse(json);
  if (!isJsonObject(value)) return undefined;
  const own = ownOf(value);
  const head = applyOverlay(readHead(value), own);
  if (typeof head.role !== 'string' || !ROLES.has(head.role)) return undefined;
  const written: JsonValue = value.content ?? [];
  const content = (Array.isArray(written) ? written : [written]).flatMap((item): Part[] => {
    const part = decodePart(item);
    if (!part) onUnknown(isJsonObject(item) ? `prompt part ${String(item.type)}` : 'prompt part');
    return part ? [part] : [];
  });
  const message = { ...head, content } as unknown as Message; // the role was checked, the rest is optional
  return { message, isAnswer: own?.isAnswer === true };
}

/** The id of a tool message repeats the id of its call. */
function readHead({ role = '', id }: JsonObject): JsonObject {
  return { role, ...(typeof id === 'string' && role !== 'tool' ? { id } : {}) };
}

function isPlainText(part: Part | undefined): boolean {
  return part?.type === 'text' && Object.keys(part).length === 2;
}

function textOfPart(part: Part | undefined): string {
  return part?.type === 'text' ? part.text : '';
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
