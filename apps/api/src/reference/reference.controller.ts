import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { notFound } from '../http/problems';
import { OpenApi } from '../discovery/open-api';
import { Public } from '../http/route';
import { SETTINGS } from '../tokens';
import { referenceFiles, type ReferenceFile } from './reference-files';
import { SAMPLES_SCHEMA, samplesOf, type Samples } from './samples';

const text = { schema: { type: 'string' } };

/** The interactive reference, which works without any other host. */
@ApiTags('Discovery')
@Controller()
@Public()
export class ReferenceController {
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
  @ApiOkResponse({ schema: SAMPLES_SCHEMA })
  requestSamples(): Readonly<Record<string, Samples>> {
    return (this.samples ??= samplesOf(this.openApi.document()));
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
