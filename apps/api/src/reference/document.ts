import type { OpenAPIObject } from '@nestjs/swagger';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';

export type Components = NonNullable<OpenAPIObject['components']>;
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The keywords of JSON schema that are read here. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
}

type Schemas = Readonly<Record<string, OpenApiSchema>>;

const ULID = '01KAJ4Q7ZJ8M3V5T9X2C6D0B1E';

/** An id as the documentation shows it. */
export const exampleId = (prefix: string): string => `${prefix}_${ULID}`;

const KINDS = Object.entries(RECORD_KINDS);

/** The kind of record that the id in a path names, by the path up to it. */
const BY_PATH: Readonly<Record<string, string>> = {
  ...Object.fromEntries(KINDS.map(([kind, { prefix }]) => [`/v1/${inKebabCase(kind)}/{id}`, prefix])),
  '/v1/erasures/{id}': 'era',
  '/v1/oauth/grants/{id}': 'grant',
};

/** The kind of record that an id names, by the name of its field or parameter. */
const BY_NAME: Readonly<Record<string, string>> = {
  organizationId: 'org',
  websiteId: 'site',
  website_id: 'site',
  clientId: 'site',
  'databuddy-client-id': 'site',
  linkId: 'link',
  monitorId: 'mon',
  statusPageId: 'status',
  incidentId: 'inc',
  userId: 'usr',
  invitationId: 'inv',
};

/** The prefix of the ids of a record, by the name of its class. */
const BY_RECORD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(KINDS.map(([kind, { prefix }]) => [dtoNameOf(kind), prefix])),
  ApiKeyWithSecretDto: 'key',
  InvitationDto: 'inv',
  ErasureDto: 'era',
  GrantDto: 'grant',
  MemberDto: 'usr',
  AccountDto: 'usr',
};

/** `statusPages` → `status-pages`. */
function inKebabCase(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `statusPages` → `StatusPageDto`. */
function dtoNameOf(kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1, -1)}Dto`;
}

/** An example for an id in a path or query; undefined for what is no id of ours. */
export function exampleOfParameter(name: string, path: string): string | undefined {
  const prefix = BY_NAME[name] ?? BY_PATH[path.slice(0, path.indexOf(`{${name}}`) + name.length + 2)];
  return prefix && exampleId(prefix);
}

/** A schema whose ids have an example each. */
export function withExampleIds<Of extends object>(name: string, schema: Of): Of {
  if (!('properties' in schema)) return schema;
  const fields = Object.entries(schema.properties as object).map(([field, each]) => {
    const prefix = field === 'id' ? BY_RECORD[name] : BY_NAME[field];
    return [field, prefix ? { ...each, example: exampleId(prefix) } : each] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** A request body with an example, made of the examples of its fields unless it has one. */
export function withExample(body: NonNullable<Operation['requestBody']>, schemas: Schemas): typeof body {
  if ('$ref' in body) return body;
  const json = body.content['application/json'];
  if (!json?.schema || json.example !== undefined || json.examples) return body;
  const example = exampleOf(json.schema, schemas);
  return { ...body, content: { ...body.content, 'application/json': { ...json, example } } };
}

/** The example of a schema: of an object, its required fields and those that have an example. */
function exampleOf(schema: OpenApiSchema, schemas: Schemas): unknown {
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
