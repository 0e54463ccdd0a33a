import { Inject, Injectable, type INestApplication } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { sessionCookie } from '../accounts/account-library';
import { rowSchemas } from '../query/http/row-schemas';
import { SETTINGS } from '../tokens';
import { describeRoutes } from './describe-routes';
import { documentLimits } from './document-limits';
import { introduction, TAGS } from './introduction';
import { withTrackingHost } from './tracking-host';

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

  private make(): OpenAPIObject {
    if (!this.app) throw new Error('There is no application to describe yet.');
    documentLimits();
    const { components, ...document } = SwaggerModule.createDocument(this.app, this.frame(), { operationIdFactory });
    const schemas = { ...components?.schemas, ...rowSchemas() };
    const described = describeRoutes({ ...document, components: { ...components, schemas } }, this.settings.limits);
    return withTrackingHost(described, this.settings.publicTrackUrl);
  }

  private frame(): Omit<OpenAPIObject, 'paths'> {
    const { publicApiUrl, publicTrackUrl } = this.settings;
    const builder = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Ledgerline')
      .setDescription(introduction(publicApiUrl, publicTrackUrl))
      .setVersion('1')
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
