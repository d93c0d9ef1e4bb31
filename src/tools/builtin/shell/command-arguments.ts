// The arguments of a shell command in every spelling: Cursor's two eras and wire messages (`RunTerminalCommandV2Params`,
// `agent.v1.ShellArgs`, `BackgroundShellSpawnArgs`), Claude Code's Bash, Codex's shell and exec_command.
import { z } from 'zod';
import type { JsonValue } from '../../../core/index.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { quoteWord } from './shell-script.ts';

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A bare `timeout` comes in seconds from some clients and in milliseconds from others; no one means 120 ms. */
const LARGEST_SECONDS = 120;

/** The system ends every text it is given at the first NUL. */
const plainText = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character');

export const commandArguments = toolArguments(
  {
    command: plainText.min(1).describe('The command line, for bash.'),
    working_directory: plainText
      .min(1)
      .optional()
      .describe(
        'Folder to run this one command in; where the last cd led, or the workspace root, when left out.',
      ),
    timeout_ms: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('How long to wait for it, in milliseconds: 30000 when left out, 600000 at most.'),
    timeout_behavior: z
      .enum(['background', 'cancel'])
      .optional()
      .describe(
        'What happens when timeout_ms is over: "background" (the default) lets it run on, "cancel" stops it.',
      ),
    is_background: z
      .boolean()
      .optional()
      .describe('Start it in the background and return at once; for servers and watchers.'),
    stdin: z
      .enum(['closed', 'pipe', 'pty'])
      .optional()
      .describe(
        'What it reads from: nothing ("closed", the default), what write_shell_stdin sends ("pipe"), or the same through a terminal ("pty").',
      ),
    env: z
      .record(z.string().regex(VARIABLE_NAME), plainText)
      .optional()
      .describe('Environment variables to add for this command.'),
    hard_timeout_ms: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Stop it after this many milliseconds, in the background too.'),
    new_session: z.boolean().optional().describe('Start in the workspace root again; false when left out.'),
    description: z.string().optional().describe('What the command does, in five to ten words.'),
  },
  {
    aliases: {
      command: ['cmd', 'script', 'commandLine'],
      working_directory: ['cwd', 'workdir', 'workingDirectory', 'directory', 'dir_path'],
      timeout_ms: ['block_until_ms', 'yield_time_ms', 'timeoutMs', 'blockUntilMs'],
      timeout_behavior: ['timeoutBehavior'],
      is_background: ['run_in_background', 'background', 'isBackground'],
      env: ['environment', 'env_additions'],
      hard_timeout_ms: ['hard_timeout', 'hardTimeout'],
      new_session: ['newSession'],
      description: ['command_description', 'commandDescription'],
    },
    // A wire's bookkeeping, and wishes about permission: those are the policy's to decide, whatever a call says of itself.
    ignored: [
      'close_stdin',
      'classifier_result',
      'conversation_id',
      'dangerouslyDisableSandbox',
      'file_output_threshold_bytes',
      'has_input_redirect',
      'has_output_redirect',
      'hook_approval_requirement',
      'idle_timeout_seconds',
      'justification',
      'login',
      'max_output_tokens',
      'notify_on_output',
      'output_notification',
      'parsing_result',
      'request_smart_mode_approval',
      'requested_sandbox_policy',
      'require_user_approval',
      'required_permissions',
      'sandbox_permissions',
      'sandbox_policy',
      'shell',
      'simple_commands',
      'skip_approval',
      'smart_mode_approval',
      'smart_mode_block_reason',
      'with_escalated_permissions',
    ],
    rewrite,
  },
);

export type CommandArguments = z.output<typeof commandArguments>;

function rewrite(given: Record<string, JsonValue>): void {
  for (const name of ['command', 'cmd']) {
    const value = given[name];
    if (Array.isArray(value)) given[name] = joinWords(value);
  }
  for (const name of ['cwd', 'working_directory', 'workdir']) if (given[name] === '') delete given[name];
  rewriteTimes(given);
  if (given.tty === true || given.pty === true) given.stdin ??= 'pty';
  if (given.enable_write_shell_stdin_tool === true) given.stdin ??= 'pipe';
  for (const name of ['tty', 'pty', 'enable_write_shell_stdin_tool']) delete given[name];
}

function rewriteTimes(given: Record<string, JsonValue>): void {
  const { options } = given;
  delete given.options;
  const nested =
    typeof options === 'object' && options !== null && !Array.isArray(options)
      ? (options.command_run_timeout_ms ?? options.timeout)
      : undefined;
  const timeout = Number(given.timeout ?? nested);
  delete given.timeout;
  // On the wire 0 is an absent number; only `block_until_ms` and `timeout_ms` mean it.
  if (timeout > 0) given.timeout_ms ??= timeout <= LARGEST_SECONDS ? timeout * 1000 : timeout;
  const name = 'timeoutBehavior' in given ? 'timeoutBehavior' : 'timeout_behavior';
  const behavior = String(given[name] ?? '').toLowerCase();
  if (/(?:^1|cancel)$/.test(behavior)) given[name] = 'cancel';
  else if (/(?:^2|background)$/.test(behavior)) given[name] = 'background';
  else if (/(?:^0|unspecified)$/.test(behavior)) delete given[name];
  for (const hard of ['hard_timeout', 'hardTimeout']) if (given[hard] === 0) delete given[hard];
}

/** Codex gives the words of a command, most often those of a shell with its script. */
function joinWords(words: readonly JsonValue[]): string {
  const texts = words.map(String);
  const [shell, flag, script] = texts;
  if (texts.length === 3 && /(?:^|\/)(?:ba|z)?sh$/.test(shell ?? '') && /^-l?c$/.test(flag ?? ''))
    return script ?? '';
  return texts.map(quoteWord).join(' ');
}
