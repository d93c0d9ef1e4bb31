import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import { type JsonObject, omitUndefined } from '../core/index.ts';
import type { McpPrompt, McpResource } from '../tools/mcp-port.ts';

export function decodeResources(
  server: string,
  resources: readonly Resource[],
  templates: readonly ResourceTemplateType[],
): McpResource[] {
  const common = ({ name, description, mimeType, annotations }: Resource | ResourceTemplateType) => ({
    server,
    name,
    description,
    mimeType,
    annotations: annotations as JsonObject | undefined, // it came as JSON
  });
  return [
    ...resources.map((one) => omitUndefined({ ...common(one), uri: one.uri, isTemplate: false })),
    ...templates.map((one) => omitUndefined({ ...common(one), uri: one.uriTemplate, isTemplate: true })),
  ];
}

export function decodePrompts(server: string, prompts: readonly Prompt[]): McpPrompt[] {
  return prompts.map(({ name, description, arguments: args }) =>
    omitUndefined({
      server,
      name,
      description,
      arguments: (args ?? []).map((one) =>
        omitUndefined({ name: one.name, description: one.description, isRequired: one.required === true }),
      ),
    }),
  );
}
