import type { DescMethod } from '@bufbuild/protobuf';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';

/** A call to which nothing is the right answer: no teams, no plan, no advertisement. */
export function defineEmpty(method: DescMethod, onCall: () => void = () => {}): UnaryMethod {
  return defineUnary({
    path: `/${method.parent.typeName}/${method.name}`,
    input: method.input,
    output: method.output,
    async handle() {
      onCall();
      return {}; // every field of a proto3 message may be left out
    },
  });
}
