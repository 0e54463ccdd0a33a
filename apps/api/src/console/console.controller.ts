import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiEntityTag } from '../http/entity-tag';
import { notFound } from '../http/problems';
import { Public, Refuses } from '../http/route';
import { AuthModule } from '../auth/auth.module';
import { consolePolicy, readConsole, type ConsoleFile } from './console-files';

const text = { schema: { type: 'string' } };

/** The console: one page for every address below it, see `consoleAddress`. */
@ApiTags('Discovery')
@Controller('console')
@Public()
@Refuses('NOT_FOUND')
class ConsoleController {
  private readonly files = readConsole();

  @Get()
  @ApiOperation({ summary: 'The console, at every address below this one' })
  @ApiOkResponse({ content: { 'text/html': text } })
  @ApiEntityTag()
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (!this.files) throw new Problem('NOT_FOUND', 'The console was not built; "npm run build" builds it');
    const { page, scriptHash } = this.files;
    void reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': consolePolicy(scriptHash) });
    send(page, request, reply);
  }

  /** The name of an asset changes with its content. */
  @Get('assets/:file')
  @ApiOperation({ summary: 'What the console is made of' })
  @ApiParam({ name: 'file', example: 'main-STYA5R3M.js' })
  @ApiOkResponse({ content: { 'text/javascript': text, 'text/css': text, 'image/svg+xml': text } })
  @ApiEntityTag()
  asset(@Param('file') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.files?.assets.get(name);
    if (!file) throw notFound('File');
    send(file, request, reply.header('cache-control', 'public, max-age=31536000, immutable'));
  }
}

function send(file: ConsoleFile, { headers }: FastifyRequest, reply: FastifyReply): void {
  const encoding = encodingFor(headers['accept-encoding'] ?? '');
  void reply.headers({ etag: file.etag, vary: 'Origin, Accept-Encoding' });
  if (headers['if-none-match'] === file.etag) void reply.status(304).send();
  else {
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    void reply.type(file.type).send(file[encoding]);
  }
}

const encodingFor = (accepted: string) =>
  /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';

/** The pages for people, which use the api as every other client does. */
@Module({ imports: [AuthModule], controllers: [ConsoleController] })
export class ConsoleModule {}
