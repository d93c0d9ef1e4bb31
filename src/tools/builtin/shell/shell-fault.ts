import { type FailureCode, fail, type ToolFailure } from '../../tool-outcome.ts';

/** A failure with its code, thrown inside the group and turned into an outcome by the tool. */
export class ShellFault extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.name = 'ShellFault';
    this.code = code;
  }

  static outcome(error: unknown): ToolFailure {
    if (error instanceof ShellFault) return fail(error.code, error.message);
    throw error;
  }
}
