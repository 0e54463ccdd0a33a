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
  const schemas = schemasUsedBy({ paths, responses, parameters, OPTIONS }, components.schemas);
  const input = JSON.stringify({ openapi, info, paths, components: { schemas, responses, parameters } });
  const types = execFileSync(process.execPath, [GENERATOR, ...FLAGS], { input, encoding: 'utf8' });
  return `${HEADER}${types}`;
}

/** No route refers to it. */
const OPTIONS = { $ref: '#/components/schemas/QueryTypeOptions' };

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

/** The bodies that forms of the console ask for. */
const FORMS = ['RegisterWebsiteDto', 'NewLinkDto', 'CreateMonitorDto', 'CreateStatusPageDto', 'CreateTagDto'];

interface Property {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

interface Body {
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

/** What a form has to know of a field. */
const KEYWORDS = ['enum', 'format', 'minimum', 'maximum', 'default'];

/** The fields of bodies with their limits, as the forms of the console read them; one a line. */
export function bodyFields({ components }: ApiDocument): string {
  const bodies = FORMS.map((name) => {
    const { properties, required = [] } = components.schemas[name] as Body;
    const fields = Object.entries(properties).map(
      ([field, property]) => `    ${field}: ${JSON.stringify(fieldOf(property, required.includes(field)))},\n`,
    );
    return `  ${name}: {\n${fields.join('')}  },\n`;
  });
  return `${HEADER}export const BODY_FIELDS = {\n${bodies.join('')}} as const;\n`;
}

function fieldOf({ type, ...property }: Property, isRequired: boolean): object {
  const types = [type].flat().filter((each) => each !== 'null');
  const limits = Object.entries(property).filter(([keyword]) => KEYWORDS.includes(keyword));
  const words = limits.map(([keyword, value]): [string, unknown] => {
    const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    return [keyword, list?.filter((each) => each !== null) ?? value];
  });
  return { type: types[0], isRequired, ...Object.fromEntries(words) };
}
