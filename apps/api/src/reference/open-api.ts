import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { ApiProperty, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { stringify } from 'yaml';
import { VERSION } from '@ledgerline/contracts/version';
import type { Settings } from '@ledgerline/platform/config/settings';
import { documentationOf } from '../http/record.dto';
import { sessionCookie } from '../identity/accounts/account-library';
import { rowSchemas } from '../query/http/describe-types';
import { SETTINGS } from '../tokens';
import { describeRoutes } from './describe-routes';
import { withTrackingHost } from './tracking-host';
import { webhooks } from './webhooks';

interface Class {
  readonly name: string;
  readonly prototype: object;
}

type Keywords = Readonly<Record<string, unknown>>;

/** The keywords of JSON schema that say the same as a rule of class-validator. */
const KEYWORDS: Readonly<Partial<Record<string, (...limits: readonly unknown[]) => Keywords>>> = {
  isInt: () => ({ type: 'integer' }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isLength: (minLength, maxLength) => ({ minLength, maxLength }),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayMaxSize: (maxItems) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
  isOptional: () => ({ nullable: true }),
};

/**
 * Adds the limits that are enforced to the documentation of every field of every DTO, so that the two cannot differ.
 * Patterns are documented by hand, because those of free texts are of no use to a reader.
 */
function documentLimits(): void {
  for (const rule of validationRules()) {
    const documented = documentedBy(rule);
    const keywords = KEYWORDS[rule.name ?? '']?.(...((rule.constraints as unknown[] | undefined) ?? []));
    if (!documented || !keywords || (rule.each && documented['type'] === 'array')) continue;
    ApiProperty(keywords)((rule.target as Class).prototype, rule.propertyName);
  }
}

/** Fields with rules but without `@ApiProperty`: `CreateLinkDto.slug`. */
export function undocumentedFields(): readonly string[] {
  const silent = validationRules().filter((rule) => !documentedBy(rule));
  return [...new Set(silent.map(({ target, propertyName }) => `${(target as Class).name}.${propertyName}`))];
}

const documentedBy = ({ target, propertyName }: ValidationMetadata) => documentationOf(target as Class, propertyName);

/** TRICKY: the library has no list of the classes with rules, but keeps the rules in a private map by class. */
function validationRules(): readonly ValidationMetadata[] {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    readonly validationMetadatas: ReadonlyMap<unknown, readonly ValidationMetadata[]>;
  };
  return [...validationMetadatas.values()].flat();
}

/** The text at the top of the reference. */
const introduction = (apiUrl: string, trackUrl: string): string => `
Event-sourced analytics for websites and short links: exact counts, provable history.

There are two hosts. The **api** (\`${apiUrl}\`) answers queries and handles commands. The **tracking host**
(\`${trackUrl}\`) receives page views and events, and redirects short links.

## First request

1. **Get a key.** The first \`npm start\` prints a demo key and saves it in \`.data/first-run.json\`. An owner or admin
   creates further ones with \`POST /v1/api-keys\`.
2. **Send it** as \`x-api-key: svc_…\` or \`Authorization: Bearer svc_…\`; on this page with *Authorize*.
3. **Query** a website that \`GET /v1/query/websites\` lists:

\`\`\`sh
curl "${apiUrl}/v1/query?website_id=$WEBSITE_ID" -H "x-api-key: $API_KEY" \\
  -H 'Content-Type: application/json' -d '{"parameters":["top_pages"],"preset":"last_7d"}'
\`\`\`

\`GET /v1/query/types\` lists what can be asked.

## What holds everywhere

- **Credentials.** An API key with scopes, or the session cookie of a person. Each operation names the scopes of keys
  and the roles of people that may use it.
- **Errors** have one body: \`{success: false, error, code, requestId, details?}\`. \`code\` is for programs, \`details\`
  names the wrong fields, twenty at most. The status of each code is listed with every operation.
- **Rate limits** count per key, person or address, over all operations that name the same limit. A key may have a
  limit of its own for everything. \`X-RateLimit-*\` says what is left, and a 429 when to retry (\`Retry-After\`).
- **Writes** answer with \`X-Log-Position\`; a read that sends it as \`X-Min-Position\` includes the write. POSTs of
  commands take \`Idempotency-Key\`, changes of a record \`If-Match\` with its \`revision\`.
- **Unknown fields** of a body are refused with 400; on the tracking host they are ignored.
- **Times** are ISO 8601 in UTC, ids are opaque strings, percentages are 0–100.

## Versions

\`/v1\` grows additively: optional fields, query types and error codes may be added at any time, and clients ignore what
they do not know. What would break clients becomes \`/v2\`; the old version then answers for at least six months more,
with \`Deprecation\` and \`Sunset\` headers.
`;

/** The groups of operations, in the order of the reference. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Query', 'Ask websites and short links what happened'],
  ['Tracking', 'Send events to the tracking host'],
  ['Agents', 'Tools for AI agents, over the Model Context Protocol'],
  ['Links', 'Short links, which the tracking host redirects'],
  ['Tags', 'By what links are put together'],
  ['Flags', 'Feature flags, and their evaluation for people and programs'],
  ['Goals', 'Goals, funnels and segments: what questions about a website count and select'],
  ['Saved views', 'Ranges, filters and comparisons of a website under a name'],
  ['Annotations', 'What happened when, beside the figures'],
  ['Monitors', 'Checks whether addresses can be reached'],
  ['Status pages', 'What organizations show of their monitors, with incidents and planned maintenance'],
  ['Websites', 'What events are sent for'],
  ['API keys', 'Credentials of programs; managed by people only'],
  ['Audit log', 'Who changed what, with proof'],
  ['Alerts', 'Rules that tell when a figure of a website or link changes'],
  ['Destinations', 'Where messages and the audit log are sent: webhooks and audit streams'],
  ['Reports', 'Figures of websites by mail, weekly or monthly'],
  ['Organizations', 'Whom websites, links and keys belong to'],
  ['Members', 'The people of an organization and their roles'],
  ['Invitations', 'How people become members'],
  ['Accounts', 'Sign up, sign in, passwords'],
  ['OAuth', 'Sign-in of clients that act for a person, and what a person has allowed'],
  ['Health', 'Whether the api works, and how far its answers go'],
  ['Discovery', 'This reference, and what programs read instead of it'],
];

/** The machine-readable description of all routes, made from the controllers at its first request. */
@Injectable()
export class OpenApi {
  private app: INestApplication | undefined;
  private made: OpenAPIObject | undefined;
  private madeYaml: string | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** Takes the whole application, because only that has the routes. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  document(): OpenAPIObject {
    return (this.made ??= this.make());
  }

  /** Made once, as that takes a good part of a second. */
  yaml(): string {
    return (this.madeYaml ??= stringify(this.document(), { aliasDuplicateObjects: false }));
  }

  private make(): OpenAPIObject & { readonly webhooks: object } {
    if (!this.app) throw new Error('There is no application to describe yet.');
    documentLimits();
    const { components, ...document } = SwaggerModule.createDocument(this.app, this.frame(), { operationIdFactory });
    const schemas = { ...components?.schemas, ...rowSchemas() };
    const described = describeRoutes({ ...document, components: { ...components, schemas } }, this.settings.limits);
    return { ...withTrackingHost(described, this.settings.publicTrackUrl), webhooks: webhooks() };
  }

  private frame(): Omit<OpenAPIObject, 'paths'> {
    const { publicApiUrl, publicTrackUrl } = this.settings;
    const builder = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Ledgerline')
      .setDescription(introduction(publicApiUrl, publicTrackUrl))
      .setVersion(VERSION)
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
      .addServer(publicApiUrl, 'The api')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key' }, 'apiKey')
      .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'svc_…', description: 'An API key' }, 'bearer')
      .addCookieAuth(sessionCookie(this.settings), { type: 'apiKey', description: 'A signed-in person' }, 'session');
    for (const [name, description] of TAGS) builder.addTag(name, description);
    return builder.build();
  }
}

/** `LinksController.create` → `links_create`. */
const operationIdFactory = (controller: string, method: string): string => {
  const subject = controller.replace(/Controller$/, '');
  return `${subject.charAt(0).toLowerCase()}${subject.slice(1)}_${method}`;
};
