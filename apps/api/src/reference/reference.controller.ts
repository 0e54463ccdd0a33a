import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Inject, Module, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Settings } from '@ledgerline/platform/config/settings';
import { notFound } from '../http/problems';
import { Public } from '../http/route';
import { SETTINGS } from '../tokens';
import { DiscoveryModule } from './discovery.controller';
import { OpenApi } from './open-api';
import { STYLE, referencePage } from './reference-page';
import { SCRIPT, SEARCH_SCRIPT, THEME_SCRIPT } from './reference-scripts';
import { CODE_SAMPLES_SCHEMA, codeSamples, type Samples } from './samples';

const text = { schema: { type: 'string' } };

/** The interactive reference, which works without any other host. */
@ApiTags('Discovery')
@Controller()
@Public()
class ReferenceController {
  private readonly files = referenceFiles();

  private samples: Readonly<Record<string, Samples>> | undefined;

  constructor(
    private readonly openApi: OpenApi,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'This reference' })
  @ApiOkResponse({ content: { 'text/html': text } })
  page(@Res() reply: FastifyReply): void {
    this.send('index.html', reply.header('cache-control', 'no-cache'));
  }

  @Get('reference/samples.json')
  @ApiOperation({ summary: 'Samples of requests, in several languages' })
  @ApiOkResponse({ schema: CODE_SAMPLES_SCHEMA })
  requestSamples(): Readonly<Record<string, Samples>> {
    return (this.samples ??= codeSamples(this.openApi.document()));
  }

  @Get('reference/:file')
  @ApiOperation({ summary: 'What the reference is made of' })
  @ApiParam({ name: 'file', example: 'reference.css' })
  @ApiOkResponse({ content: { 'text/css': text, 'text/javascript': text, 'image/png': text } })
  file(@Param('file') name: string, @Res() reply: FastifyReply): void {
    this.send(name, reply.header('cache-control', 'public, max-age=3600'));
  }

  /** Scripts and styles come from here alone; requests of "Try it out" go to the two hosts. */
  private send(name: string, reply: FastifyReply): void {
    const { type, content } = this.find(name);
    const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ${this.settings.publicTrackUrl}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    void reply.header('content-security-policy', policy).type(type).send(content);
  }

  /** @throws Problem NOT_FOUND */
  private find(name: string): ReferenceFile {
    const file = this.files.get(name);
    if (!file) throw notFound('File');
    return file;
  }
}

interface ReferenceFile {
  readonly type: string;
  readonly content: string | Buffer;
}

const javascript = (content: string | Buffer): ReferenceFile => ({ type: 'text/javascript; charset=utf-8', content });
const css = (content: string | Buffer): ReferenceFile => ({ type: 'text/css; charset=utf-8', content });

/** Swagger UI as its package ships it, which is a dependency of `@nestjs/swagger`. */
function fromSwaggerUi(name: string): Buffer {
  const { resolve } = createRequire(require.resolve('@nestjs/swagger/package.json'));
  return readFileSync(join(dirname(resolve('swagger-ui-dist/package.json')), name));
}

/** The page and everything that it loads, by name; nothing comes from another host. */
const referenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map([
    ['index.html', { type: 'text/html; charset=utf-8', content: referencePage() }],
    ['reference.css', css(STYLE)],
    ['reference.js', javascript(SCRIPT)],
    ['search.js', javascript(SEARCH_SCRIPT)],
    ['theme.js', javascript(THEME_SCRIPT)],
    ['swagger-ui.css', css(fromSwaggerUi('swagger-ui.css'))],
    ['swagger-ui-bundle.js', javascript(fromSwaggerUi('swagger-ui-bundle.js'))],
    ['favicon-32x32.png', { type: 'image/png', content: fromSwaggerUi('favicon-32x32.png') }],
  ]);

/** The reference for people, over the OpenAPI document. */
@Module({ imports: [DiscoveryModule], controllers: [ReferenceController] })
export class ReferenceModule {}
