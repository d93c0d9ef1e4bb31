import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';

/** A call to which nothing is the right answer: no teams, no plan, no advertisement. */
export function defineEmpty<Input extends DescMessage, Output extends DescMessage>(
  path: string,
  input: Input,
  output: Output,
  onCall: () => void = () => {},
): UnaryMethod {
  return defineUnary({
    path,
    input,
    output,
    async handle() {
      onCall();
      return {} as MessageInitShape<Output>; // every field of a proto3 message may be left out
    },
  });
}
