import type { JsonObject } from '../../core/index.ts';
import type { SignInPort } from '../../mcp/index.ts';
import { McpFault } from '../../mcp/mcp-fault.ts';
import { type Approvals, askPerson } from '../../tools/approvals/index.ts';
import { currentCallId } from '../../tools/runtime/current-call.ts';
import { createLoopbackSignIn } from './loopback-sign-in.ts';

/** The address to sign in at waits among the approvals; it goes away when the browser has come back. */
export function createApprovalSignIn(approvals: Approvals): SignInPort {
  return createLoopbackSignIn({
    show(server, url, signal, answered, failed) {
      const refuse = (why: string) => failed(new McpFault('DENIED', `The sign-in to ${server} ${why}.`));
      const question = {
        kind: 'sign-in' as const,
        asker: server,
        preview: `Sign in to ${server} in a browser:\n${url.href}`,
        reason: `The MCP server ${server} wants you to sign in.`,
        rule: 'mcp:sign-in',
        callId: currentCallId(),
        form: { type: 'address' as const, url: url.href },
        checkReply,
      };
      // Not awaited: the browser may come back without anybody answering here.
      askPerson(approvals, question, signal).then((answer) => {
        if (answer.type === 'refused') refuse(`was refused${answer.reason ? `: ${answer.reason}` : ''}`);
        if (answer.type === 'unanswered' && answer.why === 'expired') refuse('was not done in time');
        if (answer.type === 'agreed' && answer.content) answered(addressOf(answer.content).searchParams);
      }, failed);
    },
  });
}

function checkReply(content: JsonObject): string | undefined {
  const { address } = content;
  const isAnswer =
    typeof address === 'string' && URL.canParse(address) && addressOf(content).searchParams.has('state');
  if (isAnswer) return undefined;
  return 'give "address", the whole address that the browser was sent to at the end (it begins with http://127.0.0.1).';
}

function addressOf({ address }: JsonObject): URL {
  return new URL(String(address));
}
