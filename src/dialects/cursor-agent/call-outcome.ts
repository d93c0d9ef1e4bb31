import type { ToolResultPart } from '../../core/index.ts';
import type { ExecAnswer } from './client-frames.ts';
import { imagesOf, readableText } from './history-entries.ts';

/** What a tool of the caller gave back, as the exec channel needs it. */
export interface CallOutcome {
  readonly text: string;
  readonly isError: boolean;
}

export function outcomeOf(result: ToolResultPart): CallOutcome {
  return { text: readableText(result.content), isError: result.isError === true };
}

/** The result of a tool that was declared by the caller: text and pictures; a failure is marked, its words kept. */
export function mcpAnswer(result: ToolResultPart): ExecAnswer {
  const { text, isError } = outcomeOf(result);
  const images = imagesOf(result.content).map(({ data, mediaType }) => ({
    content: {
      case: 'image' as const,
      value: { data: new Uint8Array(Buffer.from(data, 'base64')), mimeType: mediaType },
    },
  }));
  const words =
    text === '' && images.length > 0 ? [] : [{ content: { case: 'text' as const, value: { text } } }];
  return {
    case: 'mcpResult',
    value: { result: { case: 'success', value: { content: [...words, ...images], isError } } },
  };
}
