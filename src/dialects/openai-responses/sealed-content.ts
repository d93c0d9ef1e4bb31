// `encrypted_content` that we made ourselves. Clients of this dialect keep that field and send it back untouched, so
// it also carries what another vendor needs to see again (Anthropic's signature) and the summaries of our own
// compaction. Nothing in it is secret from the client: it is packed, not encrypted. The marks are our invention.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ReasoningPart,
} from '../../core/index.ts';

const PROOF_MARK = 'crosspoint.proof.';
const SUMMARY_MARK = 'crosspoint.summary.';

/** Both marks begin so; a body that holds it must not reach an OpenAI server as it is. */
export const SEAL_MARK = 'crosspoint.';

const FORMS = ['raw', 'summary', 'redacted'] as const;

export type Proof = Pick<ReasoningPart, 'text' | 'form' | 'signature' | 'encrypted' | 'origin'>;

export function sealProof(proof: Proof): string {
  const { text, form, signature, encrypted, origin } = proof;
  return PROOF_MARK + pack(omitUndefined({ text, form, signature, encrypted, origin }) as JsonObject); // strings only
}

export function openProof(content: string): Proof | undefined {
  const value = unpack(content, PROOF_MARK);
  if (!isJsonObject(value)) return undefined;
  const text = stringOrNothing(value.text);
  const form = FORMS.find((known) => known === value.form);
  if (text === undefined || form === undefined) return undefined;
  return omitUndefined({
    text,
    form,
    signature: stringOrNothing(value.signature),
    encrypted: stringOrNothing(value.encrypted),
    origin: stringOrNothing(value.origin),
  });
}

export function sealSummary(text: string): string {
  return SUMMARY_MARK + pack({ text });
}

export function openSummary(content: string): string | undefined {
  const value = unpack(content, SUMMARY_MARK);
  return isJsonObject(value) ? stringOrNothing(value.text) : undefined;
}

function pack(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}

/** Anything that is not ours, or was damaged on the way, is simply not ours. */
function unpack(content: string, mark: string): JsonValue | undefined {
  if (!content.startsWith(mark)) return undefined;
  try {
    return JSON.parse(Buffer.from(content.slice(mark.length), 'base64url').toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}

function stringOrNothing(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
