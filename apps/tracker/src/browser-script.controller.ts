import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';

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

/** The compiled script as it is sent. */
interface BrowserScript {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Strong, of the content. */
  readonly etag: string;
}

/** Where the build puts it: beside the compiled tracker. */
const FILE = join(__dirname, '..', 'browser', 'tracker.js');

/** Undefined where only the server was compiled, as in unit tests. */
function readBrowserScript(): BrowserScript | undefined {
  if (!existsSync(FILE)) return undefined;
  const plain = readFileSync(FILE);
  const etag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`;
  return { plain, gzipped: gzipSync(plain, { level: 9 }), etag };
}
