// Built-in execs of the backend, read as calls that a tool of the caller could run. What a caller's tool cannot promise
// (background shells, raw bytes) is not read: it is refused.
import type { ExecServerMessage } from '../../../gen/agent/v1/exec_pb.ts';
import {
  answerDelete,
  answerFetch,
  answerGrep,
  answerList,
  answerPi,
  answerRead,
  answerShell,
  answerShellStream,
  answerWrite,
} from './answer-builtin.ts';
import type { BuiltinCall } from './builtin-call.ts';

export function readBuiltin({ message }: ExecServerMessage): BuiltinCall | undefined {
  switch (message.case) {
    case 'readArgs':
    case 'redactedReadArgs': {
      const { path, toolCallId, offset, limit } = message.value;
      const resultCase = message.case === 'readArgs' ? 'readResult' : 'redactedReadResult';
      return {
        kind: 'read',
        callId: toolCallId,
        values: present({ path, offset, limit }),
        essential: ['path'],
        answer: (outcome) => [answerRead(resultCase, path, outcome)],
      };
    }
    case 'writeArgs': {
      const { path, fileText, fileBytes, toolCallId } = message.value;
      if (fileBytes.length > 0) return undefined;
      return {
        kind: 'write',
        callId: toolCallId,
        values: { path, content: fileText },
        essential: ['path', 'content'],
        answer: (outcome) => [answerWrite(message.value, outcome)],
      };
    }
    case 'deleteArgs': {
      const { path, toolCallId } = message.value;
      return {
        kind: 'delete',
        callId: toolCallId,
        values: { path },
        essential: ['path'],
        answer: (outcome) => [answerDelete(path, outcome)],
      };
    }
    case 'lsArgs': {
      const { path, toolCallId } = message.value;
      return {
        kind: 'list',
        callId: toolCallId,
        values: { path },
        essential: path === '' || path === '.' ? [] : ['path'],
        answer: (outcome) => [answerList(path, outcome)],
      };
    }
    case 'grepArgs':
      return readGrep(message.value);
    case 'shellArgs':
    case 'shellStreamArgs':
    case 'miniSweAgentBashArgs': {
      const args = message.value;
      if (args.isBackground) return undefined;
      const { command, workingDirectory, description, toolCallId } = args;
      const name = message.case;
      return {
        kind: 'shell',
        callId: toolCallId,
        values: present({
          command,
          directory: workingDirectory || undefined,
          purpose: description || 'Runs a command for the model.',
        }),
        essential: ['command'],
        answer: (outcome) =>
          name === 'shellStreamArgs'
            ? answerShellStream(args, outcome)
            : [answerShell(name === 'shellArgs' ? 'shellResult' : 'miniSweAgentBashResult', args, outcome)],
      };
    }
    case 'fetchArgs': {
      const { url, toolCallId } = message.value;
      return {
        kind: 'fetch',
        callId: toolCallId,
        values: { url, purpose: 'Give the whole text of the page.' },
        essential: ['url'],
        answer: (outcome) => [answerFetch(url, outcome)],
      };
    }
    default:
      return readPi(message);
  }
}

type GrepArgs = Extract<ExecServerMessage['message'], { case: 'grepArgs' }>['value'];

/** There is no glob exec: a glob is a grep without a pattern. */
function readGrep(args: GrepArgs): BuiltinCall {
  const { pattern, path, glob, caseInsensitive, toolCallId } = args;
  const isGlob = pattern === '' && glob !== undefined && glob !== '';
  return {
    kind: isGlob ? 'glob' : 'grep',
    callId: toolCallId,
    values: isGlob
      ? present({ pattern: glob, path: path || undefined })
      : present({ pattern, path: path || undefined, glob: glob || undefined, ignoreCase: caseInsensitive }),
    essential: ['pattern'],
    answer: (outcome) => [answerGrep(args, outcome)],
  };
}

/** The second built-in tool set: its results are plain text, its calls have no ids. */
function readPi(message: ExecServerMessage['message']): BuiltinCall | undefined {
  const base = { callId: '' };
  switch (message.case) {
    case 'piReadArgs': {
      const { path, offset, limit } = message.value;
      return {
        ...base,
        kind: 'read',
        values: present({ path, offset, limit }),
        essential: ['path'],
        answer: (outcome) => [answerPi('piReadResult', outcome)],
      };
    }
    case 'piBashArgs':
      return {
        ...base,
        kind: 'shell',
        values: { command: message.value.command, purpose: 'Runs a command for the model.' },
        essential: ['command'],
        answer: (outcome) => [answerPi('piBashResult', outcome)],
      };
    case 'piEditArgs': {
      const { path, edits } = message.value;
      const [edit, ...others] = edits;
      if (!edit || others.length > 0) return undefined; // one call of the caller's tool can make one edit
      return {
        ...base,
        kind: 'edit',
        values: { path, oldText: edit.oldText, newText: edit.newText },
        essential: ['path', 'oldText', 'newText'],
        answer: (outcome) => [answerPi('piEditResult', outcome)],
      };
    }
    case 'piWriteArgs': {
      const { path, content } = message.value;
      return {
        ...base,
        kind: 'write',
        values: { path, content },
        essential: ['path', 'content'],
        answer: (outcome) => [answerPi('piWriteResult', outcome)],
      };
    }
    case 'piGrepArgs': {
      const { pattern, path, glob, ignoreCase, literal } = message.value;
      if (literal) return undefined; // the caller's tool may take it for a regular expression
      return {
        ...base,
        kind: 'grep',
        values: present({ pattern, path, glob, ignoreCase }),
        essential: ['pattern'],
        answer: (outcome) => [answerPi('piGrepResult', outcome)],
      };
    }
    case 'piFindArgs':
      return {
        ...base,
        kind: 'glob',
        values: present({ pattern: message.value.pattern, path: message.value.path }),
        essential: ['pattern'],
        answer: (outcome) => [answerPi('piFindResult', outcome)],
      };
    case 'piLsArgs':
      return {
        ...base,
        kind: 'list',
        values: present({ path: message.value.path }),
        essential: message.value.path ? ['path'] : [],
        answer: (outcome) => [answerPi('piLsResult', outcome)],
      };
    default:
      return undefined;
  }
}

function present<T extends Readonly<Record<string, string | number | boolean | undefined>>>(values: T) {
  const entries = Object.entries(values).filter((entry): entry is [string, string | number | boolean] => {
    return entry[1] !== undefined;
  });
  return Object.fromEntries(entries);
}
