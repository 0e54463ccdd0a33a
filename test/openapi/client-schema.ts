import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

type Operation = Readonly<Record<string, unknown>> & { readonly responses: Readonly<Record<string, object>> };
type Named = Readonly<Record<string, object>>;

/** As much of an OpenAPI document as is read here. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses' | 'parameters', Named>>;
}

/** The types of libs/client, out of the OpenAPI document. */
export function clientSchema(document: ApiDocument): string {
  const { openapi, info, components } = document;
  const paths = pathsOfTheApi(document.paths);
  const { parameters } = components;
  const responses = { Refused: withoutHeaders(components.responses['Refused'] ?? {}) };
  const schemas = schemasUsedBy({ paths, responses, parameters }, components.schemas);
  const input = JSON.stringify({ openapi, info, paths, components: { schemas, responses, parameters } });
  const types = execFileSync(process.execPath, [GENERATOR, ...FLAGS], { input, encoding: 'utf8' });
  return `${HEADER}${types}`;
}

/** A program of its own, as the package's types do not load from CommonJS. */
const GENERATOR = join(__dirname, '..', '..', 'node_modules', 'openapi-typescript', 'bin', 'cli.js');

const FLAGS = [
  '--empty-objects-unknown',
  '--default-non-nullable=false', // what has a default may be left out of a request
  '--root-types',
  '--root-types-no-schema-prefix',
];

const HEADER = '/** Written by `npm run client-types` from the OpenAPI document; a test fails when it is stale. */\n\n';

/** Without the routes of the tracking host. */
const pathsOfTheApi = (paths: ApiDocument['paths']) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, operations]) => {
      const own = Object.entries(operations).filter(([, operation]) => !('servers' in operation));
      const described = own.map(([method, operation]) => [method, withoutRefusals(operation)] as const);
      return own.length === 0 ? [] : [[path, Object.fromEntries(described)]];
    }),
  );

/** Refusals have the body of the default response, unless a route declares its own. */
const withoutRefusals = ({ responses, ...operation }: Operation) => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(responses)
      .filter(([status, response]) => status === 'default' || !('$ref' in response))
      .map(([status, response]) => [status, withoutHeaders(response)]),
  ),
});

/** openapi-fetch gives headers no types. */
const withoutHeaders = (response: object): object => ({ ...response, headers: undefined });

/** The schemas that a part of the document refers to, also through others. */
function schemasUsedBy(part: object, schemas: Named): Named {
  const used = new Set<string>();
  const visit = (node: object) => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(part);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}
