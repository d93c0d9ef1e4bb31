import type { Message } from '@bufbuild/protobuf';

/** Counts the fields of a message that this version does not know. They are kept where the message is kept. */
export function countUnknown(message: Message | undefined, onDrift: (kind: string) => void): void {
  for (const { no } of message?.$unknown ?? []) onDrift(`${message?.$typeName} field ${no}`);
}
