import type { DemoMessage, DemoTool } from '../../src/cli/demo/index.ts';
import type { JsonObject } from '../../src/core/index.ts';

/** What a scenario asks for, before any dialect. */
export interface AskOptions {
  /** A scenario of the demo model, e.g. `echo`. */
  readonly model: string;
  readonly messages: readonly DemoMessage[];
  readonly tools?: readonly DemoTool[];
  /** The name of a further tool that takes free text. */
  readonly customTool?: string;
  readonly system?: string;
  /** A PNG in base64, put into the first message of the user. */
  readonly image?: string;
  /** The results are failures; dialects that have a mark for it set it. */
  readonly hasFailed?: boolean;
  readonly toolChoice?: 'none' | 'required' | { readonly name: string };
  /** At most one call in an answer. */
  readonly isSequential?: boolean;
  readonly stop?: readonly string[];
  readonly maxTokens?: number;
  readonly showsReasoning?: boolean;
  readonly schema?: JsonObject;
}

/** How one dialect says what the demo's plain client does not; a new front adds one to the list in `options/index.ts`. */
export interface OptionWriter {
  readonly front: string;
  /** Adds the options to a body that the demo's client made. Throws where the dialect has no word for one. */
  write(body: JsonObject, options: AskOptions): JsonObject;
  /** The message of an error body of this dialect; undefined when the shape is another. */
  readError(body: unknown): string | undefined;
}
