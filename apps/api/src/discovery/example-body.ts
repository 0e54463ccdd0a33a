import type { Operation, Schema, Schemas } from './document';

/** A request body with an example, made of the examples of its fields unless it has one. */
export function withExample(body: NonNullable<Operation['requestBody']>, schemas: Schemas): typeof body {
  if ('$ref' in body) return body;
  const json = body.content['application/json'];
  if (!json?.schema || json.example !== undefined || json.examples) return body;
  const example = exampleOf(json.schema, schemas);
  return { ...body, content: { ...body.content, 'application/json': { ...json, example } } };
}

/** The example of a schema: of an object, its required fields and those that have an example. */
function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, example, items, allOf, properties } = schema;
  if (example !== undefined) return example;
  const referred = $ref && schemas[$ref.slice('#/components/schemas/'.length)];
  if (referred) return exampleOf(referred, schemas);
  if (allOf?.[0]) return exampleOf(allOf[0], schemas);
  if (items) return [exampleOf(items, schemas)].filter((each) => each !== undefined);
  if (!properties) return schema.enum?.[0];
  const shown = Object.entries(properties).filter(
    ([name, field]) => schema.required?.includes(name) || field.example !== undefined,
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, schemas)]));
}
