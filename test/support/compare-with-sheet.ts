// Compares a fact sheet with the generated descriptors and words every difference.
import { type DescField, type DescMessage, type Registry, ScalarType } from '@bufbuild/protobuf';
import type { Sheet, SheetField, SheetMessage } from './protocol-sheet.ts';

export interface CompareOptions {
  /** Packages that the sheet describes completely: what only the schema has is a difference too. */
  readonly completePackages: readonly string[];
}

export function compareWithSheet(sheet: Sheet, schema: Registry, options: CompareOptions): string[] {
  const differences = [
    ...merged(sheet.messages).flatMap((message) => compareMessage(message, schema, options)),
    ...sheet.enums.flatMap((one) => compareEnum(one, schema)),
  ];
  const named = new Set([...sheet.messages, ...sheet.enums].map(({ name }) => name));
  for (const type of schema) {
    const isComplete = options.completePackages.some((name) => type.typeName.startsWith(`${name}.`));
    if (isComplete && (type.kind === 'message' || type.kind === 'enum') && !named.has(type.typeName)) {
      differences.push(`${type.typeName}: not in the sheet`);
    }
  }
  return differences;
}

/** Envelopes are described in two places: members in one table, plain fields in the text. */
function merged(messages: readonly SheetMessage[]): SheetMessage[] {
  const byName = new Map<string, SheetMessage>();
  for (const message of messages) {
    const known = byName.get(message.name);
    byName.set(
      message.name,
      known === undefined
        ? message
        : {
            name: message.name,
            fields: [
              ...known.fields,
              ...message.fields.filter((field) =>
                known.fields.every(({ number }) => number !== field.number),
              ),
            ],
          },
    );
  }
  return [...byName.values()];
}

function compareMessage(message: SheetMessage, schema: Registry, options: CompareOptions): string[] {
  const descriptor = schema.getMessage(message.name);
  if (descriptor === undefined) return [`${message.name}: not in the schema`];
  const differences = message.fields.flatMap((field) => compareField(field, descriptor, schema));
  if (options.completePackages.some((name) => message.name.startsWith(`${name}.`))) {
    for (const field of descriptor.fields) {
      if (message.fields.every(({ number }) => number !== field.number)) {
        differences.push(`${message.name}.${field.name}: not in the sheet`);
      }
    }
  }
  return differences;
}

function compareField(field: SheetField, message: DescMessage, schema: Registry): string[] {
  const where = `${message.typeName}.${field.name}`;
  const found = message.fields.find(({ number }) => number === field.number);
  if (found === undefined) return [`${where}: number ${field.number} is not in the schema`];
  const said = { name: field.name, type: sheetType(field, message.typeName, schema), oneof: field.oneof };
  const has = { name: found.name, type: schemaType(found), oneof: found.oneof?.name ?? '' };
  const differences: string[] = [];
  if (said.name !== has.name)
    differences.push(`${where}: the schema calls number ${field.number} ${has.name}`);
  if (said.type !== has.type)
    differences.push(`${where}: the sheet says ${said.type}, the schema ${has.type}`);
  if (said.oneof !== undefined && said.oneof !== has.oneof) {
    differences.push(`${where}: oneof '${said.oneof}' in the sheet, '${has.oneof}' in the schema`);
  }
  return differences;
}

function sheetType(field: SheetField, scope: string, schema: Registry): string {
  if (field.cardinality === 'map') {
    const [, key, value = ''] = /^map<(\w+), ?(.+)>$/.exec(field.type) ?? [];
    return `map<${key}, ${resolve(value, scope, schema)}>`;
  }
  const type = resolve(field.type, scope, schema);
  // Sub-messages always have presence; the mark says something for scalars and enums only.
  const hasMark = field.cardinality === 'optional' && schema.getMessage(type) === undefined && !field.oneof;
  return `${field.cardinality === 'repeated' ? 'repeated ' : hasMark ? 'optional ' : ''}${type}`;
}

function schemaType(field: DescField): string {
  switch (field.fieldKind) {
    case 'map': {
      const value =
        field.mapKind === 'scalar' ? scalarName(field.scalar) : (field.message ?? field.enum)?.typeName;
      return `map<${scalarName(field.mapKey)}, ${value}>`;
    }
    case 'list': {
      const item =
        field.listKind === 'scalar' ? scalarName(field.scalar) : (field.message ?? field.enum)?.typeName;
      return `repeated ${item}`;
    }
    case 'message':
      return field.message.typeName;
    default: {
      const type = field.fieldKind === 'enum' ? field.enum.typeName : scalarName(field.scalar);
      return field.proto.proto3Optional ? `optional ${type}` : type;
    }
  }
}

function scalarName(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase();
}

/** Protobuf's own rule: the innermost scope that has the name wins. */
function resolve(written: string, scope: string, schema: Registry): string {
  const type = written.replace(/^\./, '').replace(/^pb\./, 'google.protobuf.');
  const parts = scope.split('.');
  for (let depth = parts.length; depth >= 0; depth--) {
    const candidate = [...parts.slice(0, depth), type].join('.');
    if (schema.get(candidate) !== undefined) return candidate;
  }
  return type;
}

function compareEnum(
  { name, values }: { readonly name: string; readonly values: ReadonlyMap<number, string> },
  schema: Registry,
): string[] {
  const descriptor = schema.getEnum(name);
  if (descriptor === undefined) return [`${name}: not in the schema`];
  const missing = [...values]
    .filter(([number, value]) => descriptor.value[number]?.name !== value)
    .map(
      ([number, value]) => `${name}: the schema has ${descriptor.value[number]?.name} for ${number} ${value}`,
    );
  const extra = descriptor.values
    .filter(({ number }) => !values.has(number))
    .map((value) => `${name}: ${value.number} ${value.name} is not in the sheet`);
  return [...missing, ...extra];
}
