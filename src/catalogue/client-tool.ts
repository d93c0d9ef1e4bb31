import { omitUndefined } from '../core/index.ts';

/** A message of `agent.v1` by its field name and number, e.g. `read_args` 7. */
export interface NumberedField {
  readonly name: string;
  readonly number: number;
}

/** One tool that Cursor's client runs: its row of the enum `ClientSideToolV2` and every name it goes by. */
export interface ClientTool {
  readonly number: number;
  /** As in the enum, without its common prefix. */
  readonly enumName: string;
  /** The lower-case form of the enum name. */
  readonly caseName: string;
  /** The params slot of a call; absent for the few tools that have none. */
  readonly paramsKey?: string;
  readonly resultKey?: string;
  /** What models call it, oldest spelling first, then the names of other agents' tools that do the same. */
  readonly names: readonly string[];
  /** Superseded by a newer twin: understood, no longer offered. No source lists them; their twins are declared alone. */
  readonly isRetired: boolean;
  /** Its twin in the `ToolCall` union of `agent.v1`. */
  readonly agentToolCall?: NumberedField;
  /** The `ExecServerMessage` variants of `agent.v1` that carry it to the machine. */
  readonly execVariants: readonly NumberedField[];
}

type Field = readonly [name: string, number: number];

interface RowDetails {
  readonly names: readonly string[];
  readonly agent?: Field;
  readonly exec?: readonly Field[];
  /** The stem of the params and result keys where it is not the case name. */
  readonly stem?: string;
  readonly lacks?: 'params' | 'both';
  readonly isRetired?: true;
}

/** Writes out what follows from the enum name, so that a row states only what does not. */
export function defineClientTool(number: number, enumName: string, details: RowDetails): ClientTool {
  const caseName = enumName.toLowerCase();
  const stem = details.stem ?? caseName;
  return omitUndefined({
    number,
    enumName,
    caseName,
    paramsKey: details.lacks === undefined ? `${stem}_params` : undefined,
    resultKey: details.lacks === 'both' ? undefined : `${stem}_result`,
    names: details.names,
    isRetired: details.isRetired ?? false,
    agentToolCall: details.agent && numbered(details.agent),
    execVariants: (details.exec ?? []).map(numbered),
  });
}

function numbered([name, number]: Field): NumberedField {
  return { name, number };
}
