// Citations in the four shapes this dialect knows. Others break clients: the AI SDK refuses a whole answer for one
// annotation of unknown type. What can be said as a URL is; the rest has no form here.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

const KNOWN: readonly unknown[] = ['url_citation', 'file_citation', 'container_file_citation', 'file_path'];

export function encodeAnnotations(
  annotations: readonly JsonValue[] | undefined,
  textLength: number,
): JsonObject[] {
  return (annotations ?? []).flatMap((annotation) => {
    if (!isJsonObject(annotation)) return [];
    // The chat dialect nests the fields under the type.
    const nested = annotation.type === 'url_citation' ? annotation.url_citation : undefined;
    if (isJsonObject(nested)) return [{ type: 'url_citation', ...nested }];
    if (KNOWN.includes(annotation.type)) return [annotation];
    const { url, title } = annotation;
    if (typeof url !== 'string') return [];
    const name = typeof title === 'string' ? title : url;
    return [{ type: 'url_citation', start_index: 0, end_index: textLength, url, title: name }];
  });
}
