/** Why a turn ended well. Errors are not finish reasons: they are `turn-error`. */
export const FINISH_REASONS = [
  'stop', // the model was done
  'stop-sequence', // a stop string of the request was met
  'tool-calls', // the model waits for tool results
  'length', // the output limit was reached
  'context-full', // the context window was reached
  'content-filter', // a filter cut the answer
  'refusal', // the model declined
  'pause', // a long-running hosted turn asks to be continued
  'other', // something this version has no word for; see `rawReason`
] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];
