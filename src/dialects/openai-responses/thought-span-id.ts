// OpenAI verifies `encrypted_content` together with the id of its item: a made-up id is refused, a missing one is not
// (found by LiteLLM). The id of the span therefore tells an encoder of this dialect what the item was called.

export function thoughtSpanId(itemId: string | undefined, count: number): string {
  return itemId?.startsWith('rs_') ? `${itemId}/${count}` : `p${count}`;
}

/** Undefined when the span came from another dialect. */
export function itemIdOfSpan(spanId: string): string | undefined {
  return /^(rs_[\w-]+)\/\d+$/.exec(spanId)?.[1];
}
