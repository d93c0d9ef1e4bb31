import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { attachmentsOf, endNotes } from './command-report.ts';
import { readJobId } from './job-id.ts';
import { settle } from './settle-output.ts';
import { ShellFault } from './shell-fault.ts';
import type { ShellJob } from './shell-job.ts';
import { shellJobs } from './shell-jobs.ts';
import { quoteWord } from './shell-script.ts';
import { showOutput } from './show-output.ts';

const args = toolArguments(
  {
    shell_id: z.string().describe('Id of a command that run_terminal_command left in the background.'),
    chars: z
      .string()
      .describe(
        'What to send. End a line with \\n. \\u0003 (Ctrl-C) interrupts, \\u0004 (Ctrl-D) ends the input.',
      ),
    wait_ms: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('How long to wait for an answer, in milliseconds; 1000 when left out.'),
  },
  {
    aliases: {
      shell_id: ['session_id', 'task_id', 'bash_id', 'id', 'shellId'],
      chars: ['text', 'input', 'data'],
      wait_ms: ['yield_time_ms', 'block_until_ms', 'waitMs'],
    },
    ignored: ['max_output_tokens'],
    rewrite(given) {
      for (const name of ['shell_id', 'session_id', 'task_id', 'bash_id', 'id', 'shellId'])
        if (typeof given[name] === 'number') given[name] = String(given[name]);
    },
  },
);

const DEFAULT_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** Keys that a terminal turns into signals; on a pipe there is no terminal to do it. */
const SIGNAL_KEYS = new Map<string, NodeJS.Signals>([
  ['\u0003', 'SIGINT'],
  ['\u001c', 'SIGQUIT'],
  ['\u001a', 'SIGTSTP'],
]);

const END_KEY = '\u0004';

export const writeShellStdin = defineTool<z.output<typeof args>>({
  number: 55,
  name: 'write_shell_stdin',
  description: `Send input to a command in the background that was started with stdin "pipe" or "pty", and read what it answers.
- Characters go as they are: add \\n to finish a line.
- Ctrl-C (\\u0003) works for every command in the background, also without stdin.`,
  args,
  risk: 'execute',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches(given, context) {
    const id = readJobId(given.shell_id);
    const job = id === undefined ? undefined : context.resources.get(shellJobs).get(id);
    const input = `printf %s ${quoteWord(given.chars)}`;
    // Judged as the command that reads it: input to a shell or an interpreter is code. An unknown command is unreadable.
    const command = job === undefined ? `${input} | "$UNKNOWN_COMMAND"` : `${input} | {\n${job.command}\n}`;
    return [{ type: 'command', command, cwd: job?.cwd ?? context.workspace.root }];
  },
  async run(given, context) {
    try {
      const jobs = context.resources.get(shellJobs);
      const job = jobs.find(readJobId(given.shell_id) ?? Number.NaN);
      if (job.end !== undefined)
        throw new ShellFault(
          'UNAVAILABLE',
          `Command ${job.id} has ended with exit code ${job.end.exitCode}; start it again to talk to it.`,
        );
      const lengthBefore = job.outputBytes;
      await send(job, given.chars);
      await settle(job, Math.min(given.wait_ms ?? DEFAULT_WAIT_MS, MAX_WAIT_MS), context.signal);
      const slice = jobs.readNew(job.id);
      const shown = showOutput(slice, jobs.limits.maxContentCharacters, job.outputHint);
      const notes = job.end === undefined ? [] : ['[it has ended]', ...endNotes(job, job.end)];
      const content = [shown.replace(/\n$/, '') || '(no output yet)', ...notes].join('\n');
      const data = { success: { shell_id: job.id, terminal_file_length_before_input_written: lengthBefore } };
      return succeed(content, { data, attachments: attachmentsOf(job, job.end) });
    } catch (error) {
      return ShellFault.outcome(error);
    }
  },
  preview: (given) => `to command ${given.shell_id}: ${JSON.stringify(given.chars)}`,
});

async function send(job: ShellJob, chars: string): Promise<void> {
  if (job.input === 'terminal') return job.write(chars);
  let text = '';
  for (const char of chars) {
    const key = SIGNAL_KEYS.get(char);
    const endsInput = char === END_KEY && job.input === 'pipe';
    if (key === undefined && !endsInput) {
      text += char;
      continue;
    }
    if (text !== '') await writeText(job, text);
    text = '';
    if (key !== undefined) job.signalGroup(key);
    else job.endInput();
  }
  if (text !== '') await writeText(job, text);
}

function writeText(job: ShellJob, text: string): Promise<void> {
  if (job.input === 'pipe') return job.write(text);
  throw new ShellFault(
    'UNAVAILABLE',
    `Command ${job.id} has no standard input. Stop it and start it again with stdin "pipe" or "pty".`,
  );
}
