/** One option of a backend, as far as its schema can be read. */
export interface OptionField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'choice' | 'other';
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly choices?: readonly string[] | undefined;
}

/**
 * The options that a schema accepts: from its JSON Schema where it offers one (Standard JSON Schema), else from the public structure of
 * a valibot schema. Empty for a schema that tells neither; its backend is then set up with `petasos config set options.…`.
 */
export function optionFields(schema: unknown): readonly OptionField[] {
  const standard = record(record(schema)?.['~standard']);
  const json = jsonSchemaOf(standard?.jsonSchema);
  if (json !== undefined) return fieldsOfJsonSchema(json);
  return standard?.vendor === 'valibot' ? fieldsOfValibot(record(schema)) : [];
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
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(record(schema.properties) ?? {}).map(([name, property]) => {
    const { type, description, enum: words } = record(property) ?? {};
    const choices = texts(words);
    const kind = choices === undefined ? (kindOfJsonType[String(type)] ?? 'other') : 'choice';
    return { name, kind, required: required.includes(name), description: text(description), choices };
  });
}

const kindOfJsonType: Readonly<Record<string, OptionField['kind']>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
};

/** A schema of valibot is an object of `type`, `wrapped`, `entries` and `pipe`, which its documentation describes for this use. */
function fieldsOfValibot(schema: Record<string, unknown> | undefined): OptionField[] {
  const { inner } = unwrapped(schema);
  return Object.entries(record(inner?.entries) ?? {}).map(([name, entry]) => {
    const { inner: own, required, description } = unwrapped(record(entry));
    const choices = texts(own?.options);
    const kind = choices === undefined ? (kindOfValibotType[String(own?.type)] ?? 'other') : 'choice';
    return { name, kind, required, description, choices };
  });
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

function descriptionIn(pipe: unknown): string | undefined {
  if (!Array.isArray(pipe)) return undefined;
  return pipe.map(record).flatMap((step) => (step?.type === 'description' ? (text(step.description) ?? []) : []))[0];
}

function record(value: unknown): Record<string, unknown> | undefined {
  return (typeof value === 'object' || typeof value === 'function') && value !== null ? (value as Record<string, unknown>) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string') ? value : undefined;
}
