// Runs once before the suite: builds the program under test, unless another build was named.
import { setup as buildProgram } from '../../support/build-program.ts';

export function setup(): void {
  if (!process.env.CROSSPOINT_PROGRAM) buildProgram();
}
