import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { ApiEntityTag } from '../http/entity-tag';
import { notFound } from '../http/problems';
import { Public, Refuses } from '../http/route';
import { AuthModule } from '../identity/auth/auth.module';

/** A file of the console as it is sent, by content encoding. */
interface ConsoleFile {
  readonly type: string;
  /** Weak, as it is the same in every encoding. */
  readonly etag: string;
  readonly identity: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where the build puts it, seen from the compiled api and from its sources, which tests run. */
const FOLDERS = [
  join(__dirname, '..', '..', '..', 'console'),
  join(__dirname, '..', '..', '..', '..', 'dist', 'apps', 'console'),
];

interface ConsoleFiles {
  readonly page: ConsoleFile;
  /** The hash of the script in the page, as a content security policy names it. */
  readonly scriptHash: string;
  /** By name. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** @returns undefined where the console was not built */
export function readConsole(): ConsoleFiles | undefined {
  const folder = FOLDERS.find((each) => existsSync(join(each, 'assets')));
  if (folder === undefined) return undefined;
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in TYPES);
  const assets = names.map((name) => [name, readFile(join(folder, 'assets', name))] as const);
  const page = readFile(join(folder, 'index.html'));
  const [, script = ''] = /<script>([^]*?)<\/script>/.exec(page.identity.toString()) ?? [];
  const scriptHash = `sha256-${createHash('sha256').update(script).digest('base64')}`;
  return { page, scriptHash, assets: new Map(assets) };
}

function readFile(path: string): ConsoleFile {
  const identity = readFileSync(path);
  const etag = `W/"${createHash('sha256').update(identity).digest('hex').slice(0, 32)}"`;
  const gzip = readFileSync(`${path}.gz`);
  const br = readFileSync(`${path}.br`);
  return { type: TYPES[extname(path)] ?? '', etag, identity, gzip, br };
}

/** An address of the console, but none of its assets. */
const PAGE = /^\/console\/(?!assets\/)[^?#]*/;

/** Every page of the console is one resource of the api: its own router reads the address. */
export const rewriteConsoleUrl = (url: string): string => url.replace(PAGE, '/console');

/**
 * The policy of its page: it loads scripts and styles from here alone, and has no style and only the one script in the
 * page. `ancestors`: whose frames it may be in.
 */
export const consolePolicy = (scriptHash: string, ancestors: "'none'" | '*' = "'none'"): string =>
  `default-src 'none'; script-src 'self' '${scriptHash}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors ${ancestors}`;

const text = { schema: { type: 'string' } };

/** The console: one page for every address below it, see `rewriteConsoleUrl`. */
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
