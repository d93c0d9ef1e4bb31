// Checks a call's arguments against the schema its server gave, before anything is sent, in words that a model can act
// on; and structured results, since their schemas come from the same stranger. JSON Schema 2020-12 unless the schema says draft 7 or older (MCP specification 2025-11-25, "JSON Schema Usage").
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isTooDeep, type JsonObject } from '../core/index.ts';
import { boundedRegExp } from './bounded-regexp.ts';
import { describeSchemaErrors } from './describe-schema-errors.ts';
import { sha256 } from './server-definition.ts';

const MAX_SCHEMAS = 256;
const MAX_SCHEMA_CHARACTERS = 200_000;

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  validateSchema: false,
  addUsedSchema: false,
  messages: true,
  code: { regExp: Object.assign(boundedRegExp, { code: 'new RegExp' }) },
};

export class ArgumentChecker {
  /** In the order of their last use; the oldest makes room. */
  readonly #compiled = new Map<string, ValidateFunction | undefined>();

  /** What is wrong with the arguments, or undefined; a schema that cannot be compiled is left to its server. */
  check(value: unknown, schema: JsonObject): string | undefined {
    const validate = this.#compile(schema);
    if (!validate || validate(value) === true) return undefined;
    const errors: readonly ErrorObject[] = validate.errors ?? [];
    return describeSchemaErrors(errors, schema);
  }

  #compile(schema: JsonObject): ValidateFunction | undefined {
    const text = JSON.stringify(schema);
    const key = sha256(text);
    const known = this.#compiled.get(key);
    if (this.#compiled.delete(key)) {
      this.#compiled.set(key, known);
      return known;
    }
    const validate = text.length > MAX_SCHEMA_CHARACTERS || isTooDeep(schema) ? undefined : compile(schema);
    this.#compiled.set(key, validate);
    for (const oldest of this.#compiled.keys()) {
      if (this.#compiled.size <= MAX_SCHEMAS) break;
      this.#compiled.delete(oldest);
    }
    return validate;
  }
}

/** A compiler for each schema: one that is shared would keep them all, and take an `$id` only once. */
function compile({ $schema, ...schema }: JsonObject): ValidateFunction | undefined {
  const isOld = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
  try {
    const ajv = isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
    formats.default(ajv);
    const validate = ajv.compile(schema);
    // `$async` would make it answer with a promise, which is never `true`.
    return '$async' in validate ? undefined : validate;
  } catch {
    return undefined;
  }
}
