import type { ErrorObject } from 'ajv';
import { isJsonObject, type JsonObject, type JsonValue, nearestName } from '../core/index.ts';

const MAX_SHOWN = 8;
const MAX_VALUE_CHARACTERS = 120;

/** One line for each fault with the place, the value and what was wanted; then what the tool takes at all. */
export function describeSchemaErrors(errors: readonly ErrorObject[], schema: JsonObject): string {
  // Those of the branches say more than "must match a schema in anyOf", but only when there is nothing better.
  const lines = [...new Set(errors.map(describe))];
  const shown = lines.slice(0, MAX_SHOWN).map((line) => `- ${line}`);
  if (lines.length > MAX_SHOWN) shown.push(`- and ${lines.length - MAX_SHOWN} more`);
  return [...shown, describeParameters(schema)].filter((line) => line !== '').join('\n');
}

function describe(error: ErrorObject): string {
  const place = error.instancePath === '' ? '' : error.instancePath.slice(1).replaceAll('/', '.');
  const at = (name: unknown) => (place === '' ? String(name) : `${place}.${String(name)}`);
  const subject = place === '' ? 'the arguments' : place;
  switch (error.keyword) {
    case 'required':
      return `${at(error.params.missingProperty)} is missing`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(error.params.additionalProperty ?? error.params.unevaluatedProperty);
      const properties = isJsonObject(error.parentSchema?.properties)
        ? Object.keys(error.parentSchema.properties)
        : [];
      const nearest = nearestName(name, properties);
      return `${at(name)} is not known${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
    }
    case 'enum':
      return `${subject} is ${show(error.data)} and must be one of ${show(error.params.allowedValues)}`;
    case 'const':
      return `${subject} is ${show(error.data)} and must be ${show(error.params.allowedValue)}`;
    default:
      return `${subject} is ${show(error.data)} and ${error.message ?? `breaks the rule ${error.keyword}`}`;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

function describeParameters({ properties, required }: JsonObject): string {
  if (!isJsonObject(properties)) return '';
  const names = Object.entries(properties)
    .slice(0, 40)
    .map(([name, schema]) => {
      const isRequired = Array.isArray(required) && required.includes(name);
      return `${name}: ${typeName(schema)}${isRequired ? '' : ' (optional)'}`;
    });
  return names.length === 0 ? 'It takes no arguments.' : `It takes ${names.join(', ')}.`;
}

function typeName(schema: JsonValue): string {
  if (!isJsonObject(schema)) return 'any';
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return typeof schema.type === 'string' ? schema.type : Array.isArray(schema.enum) ? 'one of a list' : 'any';
}
