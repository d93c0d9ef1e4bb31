// What proves or hides a thought travels through the client in the two text fields of `ConversationMessage.Thinking`.
// They have no place for whose proof it is, and another vendor refuses it; so origin and form are sealed in with it.
// A signature without our mark is a foreign server's and stays as it is.
import { isJsonObject, type JsonValue, omitUndefined, type ReasoningPart } from '../../core/index.ts';

const MARK = 'crosspoint.';

type Proof = Pick<ReasoningPart, 'form' | 'id' | 'signature' | 'encrypted' | 'origin'>;

export function sealThought(proof: Proof): string {
  const { origin, form, id, signature, encrypted } = proof;
  if (origin === undefined) return signature ?? encrypted ?? '';
  const json = JSON.stringify({ origin, form, id, signature, encrypted });
  return MARK + Buffer.from(json, 'utf8').toString('base64url');
}

/** `form` is what the field itself says: sealed text, or a signature beside readable text. */
export function openThought(sealed: string, form: 'raw' | 'redacted'): Proof {
  const plain: Proof =
    form === 'redacted'
      ? { form, encrypted: sealed }
      : omitUndefined({ form, signature: sealed || undefined });
  if (!sealed.startsWith(MARK)) return plain;
  const json = parse(Buffer.from(sealed.slice(MARK.length), 'base64url').toString('utf8'));
  if (!isJsonObject(json)) return plain;
  const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : undefined);
  return omitUndefined({
    form: json.form === 'summary' ? ('summary' as const) : form,
    id: text(json.id),
    signature: text(json.signature),
    encrypted: text(json.encrypted),
    origin: text(json.origin),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
