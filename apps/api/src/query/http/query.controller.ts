import type { Row } from '@ledgerline/domain/query/rows';
import { csvLine } from '../../http/csv-line';
import { figuresOf } from '../execution/answer';
import { CUT, HIDDEN, PROBLEM, type QueryResponse, TOTAL } from '../execution/response';
import type { QueryType } from '../query-type';
import { queryTypeNamed } from '../types/catalogue';
import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Module, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AwaitedPosition, MinPosition } from '../../http/log-position';
import { Budget, CurrentCaller, Public, Requires, clientDisconnectSignal } from '../../http/route';
import { type Overview, OverviewRunner, RunOverview } from '../execution/overview';
import { QueryRunner, RunQuery } from '../execution/query-runner';
import { ApiAsk, ApiOverview, ApiQueryTypes, ApiWebsites } from './query-schemas';
import { describeTypes } from './describe-types';
import { ListReadableWebsites, ListReadableWebsitesHandler, type ReadableWebsites } from './readable-websites';
import { ProjectedPositions } from '../execution/projected-positions';
import { SnapshotRunner } from '../query-run';
import { AnswerCache } from '../execution/answer-cache';
import { FindHistoryHandler } from '../history/find-history.query';
import { Histories } from '../history/history';
import { QueryTargets } from '../request/query-targets';
import { SessionCounter } from '../session-columns/session-counter';

const wantsCsv = (accept: string | undefined): boolean => /^\s*text\/csv\b/i.test(accept ?? '');

interface Csv {
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: Iterable<string>;
}

/** The rows of a response's only parameter. @throws Problem why it failed */
function asCsv(response: QueryResponse): Csv {
  const [entry] = 'batch' in response ? [] : response.data;
  const type = entry && queryTypeNamed(entry.parameter);
  if (!type) throw new Error('CSV is of one query type.');
  if (!entry.success) throw entry[PROBLEM];
  const { data, [TOTAL]: total, [HIDDEN]: hidden, [CUT]: isCut } = entry;
  const rest = isCut
    ? `# Not whole: ${data.length} of ${total} rows. Ask for a shorter range or with filters.\r\n`
    : '';
  return {
    headers: {
      ...(total === undefined ? {} : { 'x-total-rows': String(total) }),
      ...(hidden ? { 'x-hidden-rows': String(hidden) } : {}),
      ...(isCut ? { 'x-truncated': 'true' } : {}),
    },
    lines: csvOf(columnsOf(type, data), data, rest),
  };
}

const COMPARED = ['previous', 'change_percent'];

/** The declared fields, and with a comparison two more columns for each figure. */
const columnsOf = (type: QueryType, rows: readonly Row[]): string[] => [
  ...Object.keys(type.fields),
  ...COMPARED.filter((part) => rows.some((row) => part in row)).flatMap((part) =>
    figuresOf(type).map((figure) => `${part}_${figure}`),
  ),
];

function flattened(row: Row): Row {
  const parts = COMPARED.flatMap((part) =>
    Object.entries(row[part] ?? {}).map(([figure, value]) => [`${part}_${figure}`, value] as const),
  );
  return parts.length === 0 ? row : { ...row, ...Object.fromEntries(parts) };
}

const ROWS_AT_ONCE = 500;

/** Rows as RFC 4180, some lines at a time, after a line of the names of the columns. */
export function* csvOf(columns: readonly string[], rows: readonly Row[], rest = ''): Iterable<string> {
  yield csvLine(columns);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE).map(flattened);
    yield some.map((row) => csvLine(columns.map((column) => row[column]))).join('');
  }
  if (rest) yield rest;
}

const WHO_MAY_QUERY =
  'Public types of public websites need no credentials. Everything else is for keys with `read:data` (links: with global access) and members of the organization.';

const OVERVIEW =
  'Answers the request for each of up to 100 ids as `POST /v1/query` does, in their order. Without `timezone`, days are ' +
  'those of each website (links and monitors: UTC). It is refused as a whole where one of them may not be read.';

@ApiTags('Query')
@Controller('v1/query')
class QueryController {
  private readonly types = describeTypes();

  constructor(private readonly queries: QueryBus) {}

  @Get('types')
  @ApiOperation({ summary: 'Every query type with its fields and filters' })
  @ApiQueryTypes()
  @Public()
  listTypes(): ReturnType<typeof describeTypes> {
    return this.types;
  }

  @Get('websites')
  @ApiOperation({ summary: 'The websites the caller may query' })
  @ApiWebsites()
  @Requires('read:data')
  listWebsites(@CurrentCaller() caller: Caller): Promise<ReadableWebsites> {
    return this.queries.execute(new ListReadableWebsites(caller));
  }

  /** The route is public because queries of public websites need no credentials. */
  @Post()
  @ApiOperation({ summary: 'Query one website or link', description: WHO_MAY_QUERY })
  @ApiAsk()
  @HttpCode(200)
  @Public()
  @Budget('query')
  async ask(
    @Query() params: Record<string, unknown>,
    @Req() { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
    @Body() body: unknown,
    @MinPosition() minPosition: AwaitedPosition | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueryResponse | StreamableFile> {
    const isCsv = wantsCsv(headers.accept);
    const asked = new RunQuery(caller, params, body, minPosition, clientDisconnectSignal(reply), id, isCsv);
    const response = await this.queries.execute(asked);
    if (!isCsv) return response;
    const csv = asCsv(response);
    void reply.headers(csv.headers);
    return new StreamableFile(Readable.from(csv.lines), { type: 'text/csv; charset=utf-8' });
  }

  @Post('overview')
  @ApiOperation({ summary: 'Ask the same of several websites, links or monitors', description: OVERVIEW })
  @ApiOverview()
  @HttpCode(200)
  @Requires('read:data')
  @Budget('query')
  overview(
    @Req() { id }: Pick<FastifyRequest, 'id'>,
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Overview> {
    return this.queries.execute(new RunOverview(caller, body, clientDisconnectSignal(reply), id));
  }
}

/** The queries over the read models. */
@Module({
  controllers: [QueryController],
  providers: [
    QueryRunner,
    OverviewRunner,
    SnapshotRunner,
    SessionCounter,
    Histories,
    ProjectedPositions,
    AnswerCache,
    QueryTargets,
    ListReadableWebsitesHandler,
    FindHistoryHandler,
  ],
  exports: [QueryRunner, QueryTargets, SnapshotRunner],
})
export class QueryModule {}
