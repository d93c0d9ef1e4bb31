#!/usr/bin/env node
// The real process around the commands: streams, signals, exit code. Everything else takes a CliContext.
import { homedir } from 'node:os';
import { isProcessAlive } from '../config/index.ts';
import type { CliContext, Output } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { runCli } from './program.ts';
import { readVersion } from './read-version.ts';

function output(stream: NodeJS.WriteStream): Output {
  // `crosspoint models | head` closes the pipe early; that is how it should end, not a crash.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    throw error;
  });
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY === true };
}

const context: CliContext = {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  pid: process.pid,
  version: readVersion(),
  nodeVersion: process.versions.node,
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  nowMs: Date.now,
  fetch,
  isAlive: isProcessAlive,
  dialects: async () => {
    const { createFronts, NATIVE_DIALECTS, UPSTREAM_KINDS } = await import('../dialects/index.ts');
    return { fronts: createFronts(), natives: NATIVE_DIALECTS, kinds: UPSTREAM_KINDS };
  },
  startGateway: async (options) => (await import('../server/start-gateway.ts')).startGateway(options),
  openStore: async (options) => (await import('../store/index.ts')).openStore(options),
  onSignal: (listener) => {
    process.on('SIGINT', listener).on('SIGTERM', listener);
    return () => void process.off('SIGINT', listener).off('SIGTERM', listener);
  },
  exitNow: (code) => process.exit(code),
};

process.exitCode = await runCli(process.argv.slice(2), context);
