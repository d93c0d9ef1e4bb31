import { GatewayError } from '../core/index.ts';

/** As much of a terminal's input as is needed to read a line in the dark. */
export interface HiddenInput {
  setRawMode(isRaw: boolean): unknown;
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  off(event: 'data' | 'end', listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';
const CLEAR_LINE = '\u0015';
const BACKSPACES = new Set(['\u0008', '\u007f']);
/** Arrow keys and the marks around pasted text arrive as escape sequences; none of them is part of a secret. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/g;

/** Asks, and takes what is typed up to Enter without showing it. Ctrl-C is an interruption, as everywhere. */
export function readHiddenLine(
  input: HiddenInput,
  output: { write(text: string): unknown },
  question: string,
): Promise<string> {
  output.write(question);
  input.setRawMode(true);
  return new Promise<string>((resolve, reject) => {
    let line = '';
    const finish = (settle: () => void) => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const onEnd = () => finish(() => resolve(line));
    const onData = (chunk: Uint8Array | string) => {
      for (const char of Buffer.from(chunk).toString().replaceAll(ESCAPE_SEQUENCE, '')) {
        if (char === '\r' || char === '\n' || char === END_OF_INPUT) return onEnd();
        if (char === INTERRUPT) return finish(() => reject(new GatewayError('cancelled', 'Interrupted.')));
        if (BACKSPACES.has(char)) line = line.slice(0, -1);
        else if (char === CLEAR_LINE) line = '';
        else line += char;
      }
    };
    input.on('data', onData);
    input.on('end', onEnd);
    input.resume();
  });
}
