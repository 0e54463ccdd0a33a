import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { HostAdapter } from '@ledgerline/platform/http/host-adapter';

/** A plausible request to a route. */
export interface RouteRequest {
  readonly method: string;
  /** The path of the route, with its parameters filled in. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Undefined for a route that takes none. */
  readonly body: unknown;
}

/** Values for parameters and fields by their name; `id` for everything else. */
export type Known = Readonly<Record<string, unknown>>;

/** Every route of a running host: `GET /v1/links/:id`. */
export const routesOf = (app: NestFastifyApplication): readonly string[] =>
  (app.getHttpAdapter() as unknown as HostAdapter).routes.routes; // Nest types it by its interface only

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly maxItems?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly format?: string;
  readonly minimum?: number;
}

interface OpenApiOperation {
  /** The servers of operations of the tracking host. */
  readonly servers?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A request to a route as the OpenAPI document describes it; routes that it leaves out get `otherwise` as body. */
export function plausibleRequest(
  route: string,
  known: Known,
  document?: OpenApiDocument,
  otherwise?: unknown,
): RouteRequest {
  const [method = 'GET', url = '/'] = route.split(' ');
  const operation = document?.paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const path = url.replaceAll(/:(\w+)|\*/g, (_, name: string | undefined) => String(known[name ?? '*'] ?? known['id']));
  const asked = operation?.parameters?.filter((each) => each.in === 'query') ?? [];
  const query = Object.fromEntries(
    asked.map(({ name, schema }) => [name, String(known[name] ?? exampleOf(name, schema ?? {}, known, document))]),
  );
  const schema = operation?.requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? otherwise : exampleOf('', schema, known, document);
  return { method, path, query, body };
}

/** A plausible value of a field. */
export function exampleOf(name: string, schema: Schema, known: Known, document?: OpenApiDocument, depth = 0): unknown {
  if (known[name] !== undefined) return known[name];
  if (depth > 5) return null;
  const inside = (field: string, each: Schema) => exampleOf(field, each, known, document, depth + 1);
  const referred = schema.$ref && document?.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (referred) return inside(name, referred);
  const variant = schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (variant) return inside(name, variant);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [type] = [schema.type ?? (schema.properties ? 'object' : 'string')].flat();
  if (type === 'array') return [inside('', schema.items ?? {})];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'string') return FORMATS[schema.format ?? ''] ?? 'abc';
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([field, each]) => [field, inside(field, each)]));
}

const FORMATS: Readonly<Partial<Record<string, string>>> = {
  'date-time': '2099-01-01T00:00:00Z',
  uri: 'https://example.com/a',
  email: 'a@example.com',
};
