import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBrowserScript } from './browser-script';

/** The script that pages load: `<script defer src="…/tracker.js" data-website-id="…"></script>`. */
@Controller()
export class BrowserScriptController {
  private readonly script = readBrowserScript();

  @Get('tracker.js')
  send(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): void {
    if (this.script === undefined)
      throw new Problem('NOT_FOUND', 'The script was not compiled; "npm run build" compiles it');
    const { plain, gzipped, etag } = this.script;
    const isGzipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
    void reply.headers({ ...CACHED, etag, vary: 'Origin, Accept-Encoding' });
    if (headers['if-none-match'] === etag) void reply.status(304).send();
    else if (isGzipped) void reply.header('content-encoding', 'gzip').send(gzipped);
    else void reply.send(plain);
  }
}

/** A new version reaches every page within the hour. */
const CACHED = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'cross-origin-resource-policy': 'cross-origin',
};
