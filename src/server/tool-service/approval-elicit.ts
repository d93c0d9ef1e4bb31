import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { ArgumentChecker } from '../../mcp/argument-checker.ts';
import type { Elicit, Elicitation, ElicitationAnswer } from '../../mcp/index.ts';
import {
  type ApprovalForm,
  type Approvals,
  askPerson,
  type PersonAnswer,
} from '../../tools/approvals/index.ts';
import type { CallsInFlight } from './calls-in-flight.ts';

/** What an MCP server wants to know from the user becomes a question among the approvals. */
export function createApprovalElicit(approvals: Approvals, calls: CallsInFlight): Elicit {
  const checker = new ArgumentChecker();
  return async (elicitation) => {
    const { server, message, signal } = elicitation;
    const answer = await askPerson(
      approvals,
      {
        kind: 'question',
        asker: server,
        preview: previewOf(elicitation),
        reason: `The MCP server ${server} asks; these are its words, not ours: ${firstLine(message)}`,
        rule: 'mcp:elicitation',
        callId: calls.callOf(server),
        form: formOf(elicitation),
        checkReply: (content) =>
          elicitation.kind === 'form' ? checker.check(content, elicitation.schema) : undefined,
      },
      signal,
    );
    return toElicitationAnswer(answer);
  };
}

function formOf(elicitation: Elicitation): ApprovalForm {
  return elicitation.kind === 'url'
    ? { type: 'address', url: elicitation.url }
    : { type: 'fields', schema: elicitation.schema };
}

function previewOf(elicitation: Elicitation): string {
  if (elicitation.kind === 'url') return `${elicitation.message}\n${elicitation.url}`;
  return [elicitation.message, ...describeFields(elicitation.schema)].join('\n');
}

/** One line a field, so that a person at a terminal knows what to write. */
export function describeFields(schema: JsonObject): string[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, field]) => {
    const { type, description, enum: choices } = isJsonObject(field) ? field : {};
    const kind = Array.isArray(choices) ? choices.map(String).join(' | ') : String(type ?? 'any');
    const words = typeof description === 'string' ? `: ${firstLine(description)}` : '';
    return `  ${name} (${kind}${required.includes(name) ? '' : ', optional'})${words}`;
  });
}

function toElicitationAnswer(answer: PersonAnswer): ElicitationAnswer {
  if (answer.type === 'refused') return { action: 'decline' };
  if (answer.type === 'unanswered') return { action: 'cancel' };
  if (answer.content === undefined) return { action: 'accept' };
  // Checked against the schema, which by the protocol is flat: texts, numbers, choices.
  return {
    action: 'accept',
    content: answer.content as Record<string, string | number | boolean | string[]>,
  };
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
