import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../core/index.ts';
import { showText } from './show-text.ts';

/** A server asks the user something in the middle of a call. */
export type Elicitation = {
  readonly server: string;
  /** The server's words, made safe to print. */
  readonly message: string;
  readonly signal: AbortSignal;
} & (
  | { readonly kind: 'form' /** A flat object of texts, numbers and choices. */; readonly schema: JsonObject }
  /** The user is to open the address and answer there; `accept` means that they agreed to. */
  | { readonly kind: 'url'; readonly url: string }
);

export type ElicitationAnswer =
  | {
      readonly action: 'accept';
      readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

export type Elicit = (elicitation: Elicitation) => Promise<ElicitationAnswer>;

export async function answerElicitation(
  params: ElicitRequestParams,
  {
    server,
    signal,
    elicit,
  }: { readonly server: string; readonly signal: AbortSignal; readonly elicit: Elicit },
): Promise<ElicitResult> {
  const common = { server, signal, message: showText(params.message) };
  if (params.mode === 'url') {
    // Anything else could be a command to whatever opens it.
    if (!/^https?:\/\//i.test(params.url)) return { action: 'decline' };
    const { action } = await elicit({ ...common, kind: 'url', url: params.url });
    return { action };
  }
  const schema = params.requestedSchema as unknown as JsonObject; // it came as JSON
  const answer = await elicit({ ...common, kind: 'form', schema });
  return answer.action === 'accept'
    ? { action: 'accept', content: { ...answer.content } }
    : { action: answer.action };
}
