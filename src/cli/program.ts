import { Command, CommanderError } from 'commander';
import { GatewayError } from '../core/index.ts';
import { createRedactor } from '../observe/redact.ts';
import { createAnsi } from './ansi.ts';
import type { CreateCommand } from './command.ts';
import { approvalsCommand } from './commands/approvals.ts';
import { connectCommand } from './commands/connect.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { keysCommand } from './commands/keys.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { modelsCommand } from './commands/models.ts';
import { modesCommand } from './commands/modes.ts';
import { policyCommand } from './commands/policy.ts';
import { serveCommand } from './commands/serve.ts';
import { statusCommand } from './commands/status.ts';
import { toolsCommand } from './commands/tools.ts';
import type { CliContext } from './context.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';

/** THE list of verbs, in the order in which the help shows them. */
export const COMMANDS: readonly CreateCommand[] = [
  serveCommand,
  statusCommand,
  modelsCommand,
  keysCommand,
  connectCommand,
  loginCommand,
  logoutCommand,
  toolsCommand,
  modesCommand,
  policyCommand,
  approvalsCommand,
  doctorCommand,
  demoCommand,
];

/** Runs one command line and returns the exit code. Never throws and never ends the process. */
export async function runCli(
  argv: readonly string[],
  context: CliContext,
  commands: readonly CreateCommand[] = COMMANDS,
): Promise<number> {
  let code: number = EXIT.done;
  const finish = (next: number) => {
    code = next;
  };
  const program = createProgram(context, finish, commands);
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
    printError(context, thrown);
    return exitCodeOf(thrown);
  }
}

export function createProgram(
  context: CliContext,
  finish: (code: number) => void,
  commands: readonly CreateCommand[] = COMMANDS,
): Command {
  const program = new Command('crosspoint')
    .description('Any coding agent on any model: one gateway that speaks every dialect, tool calls included.')
    .version(context.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .exitOverride()
    .showHelpAfterError('(add --help for more)')
    .addHelpText('after', '\nStart with:\n  crosspoint serve\n  crosspoint connect opencode\n');
  for (const create of commands) program.addCommand(inherit(create(context, finish), program));
  return program;
}

/** Output, exit and error habits go down to every command; commander copies them only where it made the command itself. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inherit(child, command);
  return command;
}

function printError(context: CliContext, thrown: unknown): void {
  const ansi = createAnsi(context.stderr.isTerminal, context.env);
  const message = createRedactor().redact(GatewayError.from(thrown).message);
  context.stderr.write(`${ansi.red('error:')} ${message}\n`);
}
