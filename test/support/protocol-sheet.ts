// Reads the field tables of a protocol fact sheet (Markdown) into plain data, to be compared with the schema.
// Two styles of rows: `1 name type` in one cell for each message, or one row for each field.

export interface SheetField {
  readonly number: number;
  readonly name: string;
  /** As written, without the marks of cardinality. */
  readonly type: string;
  readonly cardinality: 'one' | 'optional' | 'repeated' | 'map';
  /** Undefined where the sheet does not say; empty for a field outside any oneof. */
  readonly oneof: string | undefined;
}

export interface SheetMessage {
  readonly name: string;
  readonly fields: SheetField[];
}

export interface Sheet {
  readonly messages: SheetMessage[];
  readonly enums: { readonly name: string; readonly values: ReadonlyMap<number, string> }[];
}

/** The tables with one row for each field carry no name; this is their order in the agent sheet. */
const FIELD_TABLES = [
  'AgentClientMessage',
  'AgentServerMessage',
  'AgentRunRequest',
  'ConversationStateStructure',
  'ConversationAction',
  'RequestContext',
  'RequestContextEnv',
  'InteractionUpdate',
  'ToolCall',
];

export function parseAgentSheet(text: string): Sheet {
  const sheet: Sheet = { messages: [], enums: [] };
  const fieldTables = [...FIELD_TABLES];
  let readRow: ((cells: string[]) => void) | undefined;
  const start = (name: string): SheetMessage => {
    const message = { name, fields: [] };
    sheet.messages.push(message);
    return message;
  };
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      readRow = undefined;
      sheet.enums.push(...inlineEnums(line));
      continue;
    }
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    const head = cells.slice(0, 3).join(' ');
    if (head === '# field type') {
      const message = start(`agent.v1.${fieldTables.shift()}`);
      readRow = (row) => message.fields.push(tableField(row));
    } else if (head === 'Message Src Fields') {
      readRow = ([name, , fields]) => start(`agent.v1.${name}`).fields.push(...cellFields(fields ?? ''));
    } else if (head.startsWith('aiserver.v1 message')) {
      readRow = ([name, fields]) => start(`aiserver.v1.${name}`).fields.push(...cellFields(fields ?? ''));
    } else if (head.startsWith('Enum Values')) {
      readRow = ([name = '', values = '']) =>
        sheet.enums.push({ name: `${enumPackage(name)}.${name}`, values: enumValues(values) });
    } else if (head === 'variant server # args type') {
      readRow = pairRows(start('agent.v1.ExecServerMessage'), start('agent.v1.ExecClientMessage'), {
        first: ([variant = '', number, type]) => [number, execName(variant, 'args'), type],
        second: ([variant = '', , , , number, type]) => [number, execName(variant, 'result'), type],
      });
    } else if (head === '# query member type') {
      readRow = pairRows(start('agent.v1.InteractionQuery'), start('agent.v1.InteractionResponse'), {
        first: ([number, name, type]) => [number, name, type],
        second: ([number, , , , name, type]) => [number, name, type],
      });
    } else if (!/^:?-+:?$/.test(cells[0] ?? '')) {
      readRow?.(cells);
    }
  }
  return sheet;
}

type Row = readonly string[];
type Named = readonly [number: string | undefined, name: string | undefined, type: string | undefined];

function pairRows(
  first: SheetMessage,
  second: SheetMessage,
  pick: { readonly first: (row: Row) => Named; readonly second: (row: Row) => Named },
): (cells: string[]) => void {
  return (cells) => {
    for (const [message, read] of [
      [first, pick.first],
      [second, pick.second],
    ] as const) {
      const [number, name = '', type = ''] = read(cells);
      message.fields.push({
        number: Number(number),
        name,
        type: unquote(type),
        cardinality: 'one',
        oneof: undefined,
      });
    }
  };
}

/** The table of execs names variants, not fields. */
function execName(variant: string, kind: 'args' | 'result'): string {
  if (variant === 'shell_stream' && kind === 'result') return variant;
  if (variant === 'git_diff') return kind === 'args' ? 'git_diff_request' : 'git_diff_response';
  return `${variant}_${kind}`;
}

function tableField([number, name = '', typeCell = '', oneof = '']: Row): SheetField {
  const written = unquote(typeCell);
  const isRepeated = written.startsWith('repeated ');
  const isOptional = written.endsWith(' (explicit presence)');
  const type = written.replace(/^repeated /, '').replace(/ \(explicit presence\)$/, '');
  const cardinality = isRepeated
    ? 'repeated'
    : isOptional
      ? 'optional'
      : type.startsWith('map<')
        ? 'map'
        : 'one';
  return { number: Number(number), name, type, cardinality, oneof };
}

/** `1 name type*`; …, with **oneof x** before the members of a oneof, or {oneof x} after each. */
function cellFields(cell: string): SheetField[] {
  const fields: SheetField[] = [];
  let oneof = '';
  const token = /\*\*oneof (\w+)\*\*|`(\d+) (\w+) ([^`]+)`(?:‹\w+›)?(?: \{oneof (\w+)\})?/g;
  for (const [, group, number, name = '', written = '', marked] of cell.matchAll(token)) {
    if (group !== undefined) oneof = group;
    else fields.push({ number: Number(number), name, ...typeOf(written), oneof: marked ?? oneof });
  }
  return fields;
}

function typeOf(written: string): Pick<SheetField, 'type' | 'cardinality'> {
  if (written.startsWith('map<')) return { type: written, cardinality: 'map' };
  if (written.endsWith('*')) return { type: written.slice(0, -1), cardinality: 'repeated' };
  if (written.endsWith('?')) return { type: written.slice(0, -1), cardinality: 'optional' };
  return { type: written, cardinality: 'one' };
}

/** Two enums of the git_diff exec stand among those of agent.v1 although their messages are aiserver.v1. */
function enumPackage(name: string): string {
  return /^(GetDiffRequest|GitDiff)\./.test(name) ? 'aiserver.v1' : 'agent.v1';
}

/** prefix `P_`: 0 UNSPECIFIED; 1 … */
function enumValues(text: string): Map<number, string> {
  const prefix = /prefix `(\w*)`/.exec(text)?.[1] ?? '';
  const values = text.slice(text.indexOf(':') + 1).replaceAll(/‹[^›]*›/g, '');
  return new Map(
    [...values.matchAll(/(\d+) (\w+)/g)].map(([, number, name]) => [Number(number), `${prefix}${name}`]),
  );
}

/** Name — prefix `P_`: values; Name2 — prefix …; these belong to aiserver.v1. */
function inlineEnums(line: string): Sheet['enums'] {
  return line
    .split(/; (?=[A-Z][\w.]+ — prefix )/)
    .filter((part) => /^[A-Z][\w.]+ — prefix `/.test(part))
    .map((part) => ({ name: `aiserver.v1.${part.slice(0, part.indexOf(' '))}`, values: enumValues(part) }));
}

export interface SheetMethod {
  /** `package.Service/Method`. */
  readonly path: string;
  readonly kind: 'unary' | 'server_streaming' | 'bidi_streaming';
}

/** Rows `/package.Service/Method`, `/Other` | kind | …; a bare `/Other` belongs to the service before it. */
export function parseMethods(text: string): SheetMethod[] {
  const methods: SheetMethod[] = [];
  for (const line of text.split('\n')) {
    const [, paths = '', kindCell = ''] = line.split('|');
    const kind = kindCell.includes('bidi')
      ? 'bidi_streaming'
      : kindCell.includes('server')
        ? 'server_streaming'
        : 'unary';
    if (!/^ (unary|server stream|bidi stream)/.test(kindCell)) continue;
    let service = '';
    for (const [, owner, method] of paths.matchAll(/`\/(?:([\w.]+)\/)?(\w+)`/g)) {
      service = owner ?? service;
      methods.push({ path: `${service}/${method}`, kind });
    }
  }
  return methods;
}

function unquote(cell: string): string {
  return cell.replaceAll('`', '');
}
