/** The words that JSON schemas are written with. */
export const text = { type: 'string' };
export const whole = { type: 'integer' };
export const yes = { type: 'boolean' };
export const object = (properties: Readonly<Record<string, object>>, ...optional: readonly string[]) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
export const list = (items: object) => ({ type: 'array', items });

/** Any JSON but null. */
export const ANY_JSON = [yes, { type: 'number' }, text, list({}), { type: 'object', additionalProperties: true }];

/** Any JSON. */
export const anyJson = { anyOf: [...ANY_JSON, { type: 'null' }] };
