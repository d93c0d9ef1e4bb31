// What a server's tool answers (CallToolResult, specification 2025-11-25) as an outcome: text for the model, pictures
// and files as parts, structured content as data.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import {
  type FilePart,
  type ImagePart,
  isJsonObject,
  type JsonObject,
  omitUndefined,
} from '../core/index.ts';
import { fail, succeed, type ToolOutcome } from '../tools/tool-outcome.ts';

/** Of all parts of one answer, in base64 characters; models take no more either. */
const MAX_PART_CHARACTERS = 30_000_000;

type OutcomePart = ImagePart | FilePart;

export interface DecodedContent {
  readonly text: string;
  readonly parts: readonly OutcomePart[];
}

export function decodeResult(result: CallToolResult, server: string, tool: string): ToolOutcome {
  const { text, parts } = decodeContent(result.content);
  const structured = isJsonObject(result.structuredContent) ? result.structuredContent : undefined;
  // Servers should repeat structured content as text, and the older ones that do not would answer nothing.
  const content = text === '' && structured !== undefined ? JSON.stringify(structured, null, 2) : text;
  const data: JsonObject = omitUndefined({
    server,
    tool_name: tool,
    structured_content: structured,
  }) as JsonObject; // every undefined value has just been left out
  if (result.isError === true)
    return fail('FAILED', content === '' ? `${server}:${tool} failed and did not say why.` : content, {
      data,
    });
  const shown =
    content === '' && parts.length === 0 ? `${server}:${tool} is done and returned nothing.` : content;
  return succeed(shown, omitUndefined({ data, parts: parts.length === 0 ? undefined : parts }));
}

export function decodeContent(blocks: readonly ContentBlock[]): DecodedContent {
  const lines: string[] = [];
  const parts: OutcomePart[] = [];
  let partCharacters = 0;
  const attach = (what: string, base64: string, part: OutcomePart) => {
    const size = `${Math.ceil((base64.length * 3) / 4 / 1024)} KiB`;
    if (partCharacters + base64.length > MAX_PART_CHARACTERS) {
      lines.push(`[${what}, ${size}: left out, the answer is too large]`);
      return;
    }
    partCharacters += base64.length;
    parts.push(part);
    lines.push(`[${what}, ${size}: attached]`);
  };
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        lines.push(block.text);
        break;
      case 'image':
        attach(block.mimeType, block.data, mediaPart(block.data, block.mimeType));
        break;
      case 'audio':
        attach(block.mimeType, block.data, mediaPart(block.data, block.mimeType));
        break;
      case 'resource': {
        const { resource } = block;
        if ('text' in resource) {
          lines.push(`[${resource.uri}]`, resource.text);
          break;
        }
        const mimeType = resource.mimeType ?? 'application/octet-stream';
        attach(
          `${resource.uri}, ${mimeType}`,
          resource.blob,
          mediaPart(resource.blob, mimeType, resource.uri),
        );
        break;
      }
      case 'resource_link': {
        const facts = [block.mimeType, block.description].filter((fact) => fact !== undefined);
        lines.push(
          `[resource ${block.name}: ${block.uri}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}]`,
        );
        break;
      }
      default:
        // A newer server's block: shown as it came, never dropped.
        lines.push(JSON.stringify(block));
    }
  }
  return { text: lines.join('\n'), parts };
}

/** A picture is a picture however the server wrapped it; everything else travels as a file. */
export function mediaPart(data: string, mediaType: string, uri?: string): OutcomePart {
  const source = { type: 'base64', data, mediaType } as const;
  if (/^image\//i.test(mediaType)) return { type: 'image', source };
  const filename = uri === undefined ? undefined : uri.split(/[/\\]/).at(-1);
  return omitUndefined({ type: 'file' as const, source, filename: filename || undefined });
}
