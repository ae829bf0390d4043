/** One option of a backend, as far as its schema can be read. */
export interface OptionField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'choice' | 'other';
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  /** Options of its own, where its value may be an object. */
  readonly fields?: readonly OptionField[] | undefined;
}

/**
 * The options that a schema accepts: from its JSON Schema where it offers one (Standard JSON Schema), else from the public structure of
 * a valibot schema. Empty for a schema that tells neither; its backend is then set up with `petasos config set options.…`.
 */
export function optionFields(schema: unknown): readonly OptionField[] {
  const standard = record(record(schema)?.['~standard']);
  const json = jsonSchemaOf(standard?.jsonSchema);
  if (json !== undefined) return fieldsOfJsonSchema(json);
  return standard?.vendor === 'valibot' ? fieldsOfValibot(unwrapped(record(schema)).inner) : [];
}

function jsonSchemaOf(converter: unknown): Record<string, unknown> | undefined {
  const input = record(converter)?.input;
  if (typeof input !== 'function') return undefined;
  try {
    return record(input({ target: 'draft-2020-12' }));
  } catch {
    // A schema may hold what JSON Schema cannot say.
    return undefined;
  }
}

function fieldsOfJsonSchema(schema: Record<string, unknown>): OptionField[] {
  const required = list(schema.required);
  const own = Object.entries(record(schema.properties) ?? {}).map(([name, property]): OptionField => {
    const { type, description, enum: words, ...rest } = record(property) ?? {};
    return {
      name,
      ...kindOf(kindOfJsonType[String(type)], words),
      required: required.includes(name),
      description: text(description),
      ...nested(fieldsOfJsonSchema(rest)),
    };
  });
  const either = [...list(schema.anyOf), ...list(schema.oneOf)];
  return [...own, ...either.flatMap((one) => fieldsOfJsonSchema(record(one) ?? {}))];
}

const kindOfJsonType: Readonly<Record<string, OptionField['kind']>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
};

/** A schema of valibot is an object of `type`, `wrapped`, `entries`, `options` and `pipe`, which its documentation describes for this use. */
function fieldsOfValibot(schema: Record<string, unknown> | undefined): OptionField[] {
  const own = Object.entries(record(schema?.entries) ?? {}).map(([name, entry]): OptionField => {
    const { inner, required, description } = unwrapped(record(entry));
    return {
      name,
      ...kindOf(kindOfValibotType[String(inner?.type)], inner?.options),
      required,
      description,
      ...nested(fieldsOfValibot(inner)),
    };
  });
  return [...own, ...list(schema?.options).flatMap((one) => fieldsOfValibot(record(one)))];
}

const kindOfValibotType: Readonly<Record<string, OptionField['kind']>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
};

const optional: ReadonlySet<unknown> = new Set(['optional', 'exact_optional', 'nullish', 'undefinedable']);

function unwrapped(schema: Record<string, unknown> | undefined) {
  let inner = schema;
  let required = true;
  let description: string | undefined;
  while (inner !== undefined) {
    description ??= descriptionIn(inner.pipe);
    if (optional.has(inner.type)) required = false;
    const wrapped = record(inner.wrapped);
    if (wrapped === undefined) break;
    inner = wrapped;
  }
  return { inner, required, description };
}

/** The last one holds: whoever builds on a schema that has one says what it is here. */
function descriptionIn(pipe: unknown): string | undefined {
  const found = list(pipe).flatMap((step, index) => {
    const { type, description, pipe: below } = record(step) ?? {};
    return (type === 'description' ? text(description) : index === 0 ? descriptionIn(below) : undefined) ?? [];
  });
  return found.at(-1);
}

function kindOf(kind: OptionField['kind'] | undefined, words: unknown): Pick<OptionField, 'kind' | 'choices'> {
  const choices = list(words).filter((word) => typeof word === 'string');
  if (choices.length > 0 && choices.length === list(words).length) return { kind: 'choice', choices };
  return { kind: kind ?? 'other' };
}

function nested(fields: readonly OptionField[]): Pick<OptionField, 'fields'> {
  return fields.length === 0 ? {} : { fields };
}

function record(value: unknown): Record<string, unknown> | undefined {
  return (typeof value === 'object' || typeof value === 'function') && value !== null ? (value as Record<string, unknown>) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
