import { Inject, Injectable, type INestApplication } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { sessionCookie } from '../accounts/account-library';
import { SETTINGS } from '../tokens';
import { describeRoutes } from './describe-routes';

/** The machine-readable description of all routes, made from the controllers at its first request. */
@Injectable()
export class OpenApi {
  private app: INestApplication | undefined;
  private made: OpenAPIObject | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** Takes the whole application, because only that has the routes. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  document(): OpenAPIObject {
    if (!this.app) throw new Error('There is no application to describe yet.');
    return (this.made ??= describeRoutes(SwaggerModule.createDocument(this.app, this.frame(), { operationIdFactory })));
  }

  private frame(): Omit<OpenAPIObject, 'paths'> {
    return new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Ledgerline')
      .setDescription('Event-sourced analytics for websites and short links: exact answers, provable history.')
      .setVersion('1')
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
      .addServer(this.settings.publicApiUrl)
      .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'apiKey')
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key' }, 'bearer')
      .addCookieAuth(sessionCookie(this.settings), undefined, 'session')
      .addSecurityRequirements('apiKey')
      .addSecurityRequirements('bearer')
      .addSecurityRequirements('session')
      .build();
  }
}

/** `LinksController.create` → `links_create`. */
const operationIdFactory = (controller: string, method: string): string => {
  const subject = controller.replace(/Controller$/, '');
  return `${subject.charAt(0).toLowerCase()}${subject.slice(1)}_${method}`;
};
