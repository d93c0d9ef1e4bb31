import type { Message } from '../core/index.ts';
import { isHarnessNote } from './harness-note.ts';

/** Messages that only make sense together: one that is no result, with the results that follow it. */
export type Unit = readonly Message[];

export function splitUnits(messages: readonly Message[]): Unit[] {
  const units: Message[][] = [];
  for (const message of messages) {
    const unit = units.at(-1);
    if (message.role === 'tool' && unit) unit.push(message);
    else units.push([message]);
  }
  return units;
}

/** The unit with what the user said last, notes of the loop aside. */
export function findLastRequest(units: readonly Unit[]): number {
  return units.findLastIndex(([message]) => message?.role === 'user' && !isHarnessNote(message));
}
