// Reads the tables of the aiserver.v1 fact sheet, whose notation differs from the agent sheet's:
// 1 `name` type[]; 2 `other` .Nested {oneof}, or one row for each field under a heading that names the message.
import type { Sheet, SheetField, SheetMessage } from './protocol-sheet.ts';

const CARRIERS = [
  'ClientSideToolV2Call',
  'StreamedBackToolCallV2',
  'StreamedBackToolCall',
  'ClientSideToolV2Result',
];

export function parseChatSheet(text: string): Sheet {
  const messages = new Map<string, SheetMessage>();
  const tools = new Map<number, string>();
  let heading = '';
  let readRow: ((cells: string[]) => void) | undefined;
  const fieldsOf = (name: string): SheetField[] => {
    const fullName = `aiserver.v1.${name}`;
    const message = messages.get(fullName) ?? { name: fullName, fields: [] };
    messages.set(fullName, message);
    return message.fields;
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) heading = line;
    if (!line.startsWith('|')) {
      readRow = undefined;
      continue;
    }
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    const [first = '', second = ''] = cells;
    if (first === '#' && second === 'Field') {
      const fields = fieldsOf(/`(\w+)`/.exec(heading)?.[1] ?? '');
      readRow = ([number, name = '', type = '']) =>
        fields.push(field(Number(number), unquote(name), type, ''));
    } else if (first === 'Message' && second.startsWith('Fields (number')) {
      readRow = ([name = '', row = '']) => addAll(fieldsOf(unquote(name)), cellFields(row));
    } else if (first === '#' && second.startsWith('Name (prefix')) {
      readRow = ([number, name = '']) =>
        tools.set(Number(number), `CLIENT_SIDE_TOOL_V2_${/\w+/.exec(name)?.[0]}`);
    } else if (first === 'Tool #') {
      readRow = (row) => addCarriers(row, fieldsOf);
    } else if (!/^-+$/.test(first)) {
      readRow?.(cells);
    }
  }
  return {
    messages: [...messages.values()],
    enums: [{ name: 'aiserver.v1.ClientSideToolV2', values: tools }],
  };
}

/** Tool number, name, params, in Call, in V2, stream key, in Stream, result, in Result. */
function addCarriers(row: readonly string[], fieldsOf: (name: string) => SheetField[]): void {
  const [, , params = '', inCall, inV2, streamKey = '', inStream, result = '', inResult] = row;
  const [, paramsName, paramsType = ''] = /^`(\w+)` ([\w.]+)$/.exec(params) ?? [];
  const [, streamName] = /^`(\w+)`$/.exec(streamKey) ?? [];
  const [, resultName, resultType = ''] = /^`(\w+)` ([\w.]+)$/.exec(result) ?? [];
  const slots = [
    [paramsName, inCall, paramsType, 'params'],
    [paramsName, inV2, paramsType, 'params'],
    // The table gives no type for streams: it is the params type with another ending.
    [
      streamName,
      inStream,
      paramsType.replace(/^agent\.v1\.(\w+)Args$|^(\w+)Params$/, '$1$2Stream'),
      'params',
    ],
    [resultName, inResult, resultType, 'result'],
  ] as const;
  for (const [index, [name, number, type, oneof]] of slots.entries()) {
    if (name !== undefined) fieldsOf(CARRIERS[index] ?? '').push(field(Number(number), name, type, oneof));
  }
}

function addAll(fields: SheetField[], more: readonly SheetField[]): void {
  fields.push(...more.filter(({ number }) => fields.every((known) => known.number !== number)));
}

function cellFields(cell: string): SheetField[] {
  return [...cell.matchAll(/(\d+) `(\w+)` ([\w.]+(?:<[^>]+>)?(?:\[\]|\?)?)(?: \{(\w+)\})?/g)].map(
    ([, number, name = '', type = '', oneof = '']) => field(Number(number), name, type, oneof),
  );
}

function field(number: number, name: string, written: string, oneof: string): SheetField {
  const type = written.replace(/(\[\]|\?)$/, '');
  const cardinality = written.startsWith('map<')
    ? 'map'
    : written.endsWith('[]')
      ? 'repeated'
      : written.endsWith('?')
        ? 'optional'
        : 'one';
  return { number, name, type, cardinality, oneof };
}

function unquote(cell: string): string {
  return cell.replaceAll('`', '');
}
