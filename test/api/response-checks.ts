import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { strict } from './strict-schemas';

/** As much of an OpenAPI document as is needed to look at a response. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses', Readonly<Record<string, object>>>>;
}

interface DocumentedOperation {
  readonly responses: Readonly<Record<string, object>>;
}

interface SeenResponse {
  /** As Fastify has it: `GET /v1/links/:id`; undefined where no route was found. */
  readonly route: string | undefined;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The statuses that every host answers by itself, whatever the route: documented as the default response. */
const OF_ANY_ROUTE = new Set([404, 405, 408, 413, 415, 417, 431]);

/** Compares responses with what a document says about them. */
export class ResponseChecks {
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    discriminator: true,
    formats: FORMATS,
    logger: false,
  });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly document: Document) {
    this.ajv.addSchema(strict(document), 'openapi');
  }

  /** One sentence, or undefined for a response as documented. */
  violation({ route = '', status, contentType, body }: SeenResponse): string | undefined {
    const found = this.find(route, status);
    const seen = `${route || 'an unknown route'} answered ${status}`;
    if (found === undefined) return `${seen}, which is not documented: add it with @ApiResponse({ status: ${status} })`;
    const type = contentType.split(';')[0] ?? '';
    const schema = found.types.get(type);
    if (schema === undefined)
      return found.types.size === 0 && body === '' ? undefined : `${seen} as "${type}", which is not documented`;
    if (!/^application\/(\w+\+)?json$/.test(type)) return undefined;
    const validate = this.compile(schema);
    return validate(JSON.parse(body))
      ? undefined
      : `${seen}, which differs from its schema: ${explain(validate.errors ?? [])}; seen: ${body.slice(0, 300)}`;
  }

  /** Pointers to the schemas of a documented response, by content type. */
  private find(route: string, status: number): { readonly types: ReadonlyMap<string, string> } | undefined {
    const [method = '', url = ''] = route.split(' ');
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    const responses = this.document.paths[path]?.[method.replace('HEAD', 'GET').toLowerCase()]?.responses ?? {};
    const named = responses[status] !== undefined;
    if (!named && !OF_ANY_ROUTE.has(status) && url !== '') return undefined;
    if (!named) return { types: new Map([['application/json', '#/components/schemas/Problem']]) };
    const response = responses[status] as { readonly $ref?: string; readonly content?: object };
    const at = response.$ref ?? `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
    const { content = {} } = response.$ref ? this.referred(response.$ref) : response;
    return { types: new Map(Object.keys(content).map((type) => [type, `${at}/content/${escaped(type)}/schema`])) };
  }

  private referred(ref: string): { readonly content?: object } {
    return this.document.components.responses[ref.split('/').at(-1) ?? ''] ?? {};
  }

  private compile(pointer: string): ValidateFunction {
    const known = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: `openapi${pointer}` });
    this.compiled.set(pointer, known);
    return known;
  }
}

const escaped = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');

const explain = (errors: readonly ErrorObject[]): string =>
  errors
    .slice(0, 3)
    .map(
      ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message ?? ''} ${JSON.stringify(params)}`,
    )
    .join('; ');

const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: (text: string) => parseUrl(text) !== null,
  email: /^\S+@\S+$/,
  password: true as const,
};
