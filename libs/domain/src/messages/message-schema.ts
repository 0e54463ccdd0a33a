/** JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const text = { type: 'string' };
export const nullable = (schema: JsonSchema) => ({ anyOf: [schema, { type: 'null' }] });
export const whole = { type: 'integer', minimum: 0 };
export const time = { type: 'string', format: 'date-time' };

/** All properties are required but the optional ones. */
export const object = (properties: JsonSchema, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** The shape of a message of a type with this data. */
export const schemaOf = (type: string, data: JsonSchema, optional: readonly string[] = []): JsonSchema =>
  object({
    type: { const: type },
    timestamp: { ...time, description: 'When it happened' },
    data: object({ id: { ...text, description: 'Of the event it rests on' }, organizationId: text, ...data }, optional),
  });

/** Single hits of a message about several. */
export const itemOf = (more: JsonSchema) => ({
  type: 'array',
  maxItems: 100,
  description: 'The first of them, as many as 20 KB hold',
  items: object({
    at: time,
    country: nullable(text),
    device: text,
    browser: nullable(text),
    os: nullable(text),
    ...more,
  }),
});
