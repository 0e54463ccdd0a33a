import { Readable } from 'node:stream';
import { Controller, Get, Inject, Injectable, Module, Query, StreamableFile } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { AuditFilter, AuditLogExported } from '@ledgerline/contracts/events/audit-log.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { auditLogExport } from '@ledgerline/domain/audit/audit-log.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { exportText, untilChained, untilSigned } from '@ledgerline/platform/event-store/audit-export';
import { exportStream, historyPages, type EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { type CommandContext, IdempotencyStore, RequestContext, newPrefixedId } from '../commands/command-context';
import { CommandRunner, CommandsModule } from '../commands/command-runner';
import { attachment, BYTE_ORDER_MARK, csvLine } from '../http/csv';
import { unavailableProblem } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { assertMay, Budget, CurrentCaller, IsHead, Requires } from '../http/route';
import { AuthModule } from '../identity/auth/auth.module';
import { EVENT_STORE } from '../tokens';
import {
  type AuditEntryDto,
  AuditPageDto,
  AuditProgressDto,
  AuditVerdictDto,
  ExportAuditLogDto,
  ListAuditLogDto,
  VerifyAuditLogDto,
} from './audit-log.dto';
import {
  AuditEntries,
  ReadAuditLog,
  ReadAuditLogHandler,
  filterOf,
  isBefore,
  matchesAuditFilter,
} from './read-audit-log.query';
import { AuditVerification, VerifyAuditLog, VerifyAuditLogHandler } from './verify-audit-log.query';

type Entry = PlainData<AuditEntryDto>;

const COLUMNS: Readonly<Record<string, (entry: Entry) => unknown>> = {
  position: ({ position }) => position,
  occurredAt: ({ occurredAt }) => occurredAt,
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  targetType: ({ target }) => target.type,
  targetId: ({ target }) => target.id,
  targetName: ({ target }) => target.name,
  changes: ({ changes }) => changes,
  requestId: ({ requestId }) => requestId,
  ip: ({ ip }) => ip,
  userAgent: ({ userAgent }) => userAgent,
  correlationId: ({ correlationId }) => correlationId,
  id: ({ id }) => id,
  hash: ({ hash }) => hash,
  proof: ({ proof }) => proof,
  recordedAt: ({ recordedAt }) => recordedAt,
};

const csvHeader = BYTE_ORDER_MARK + csvLine(Object.keys(COLUMNS));

const csvRow = (entry: Entry): string => csvLine(Object.values(COLUMNS).map((valueIn) => valueIn(entry)));

/** Answers the id of the command, by which its event is found. */
class RecordExport extends Command<string> {
  constructor(
    readonly wanted: Omit<AuditLogExported['data'], 'exportId'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RecordExport)
class RecordExportHandler implements ICommandHandler<RecordExport> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ wanted, context }: RecordExport): Promise<string> {
    const { organizationId } = wanted;
    assertMay(context.caller, 'audit:read', { organizationId });
    const started = await this.idempotency.start(context, 'ExportAuditLog', wanted, newPrefixedId('exp'));
    const command = { type: 'ExportAuditLog', data: { ...wanted, exportId: started.id } } as const;
    const stream = exportStream(organizationId, started.id);
    await this.runner.run({ decider: auditLogExport, stream, command, answer: () => null }, started);
    return started.commandId;
  }
}

const TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' };
const PAGE = 200;
/** While no event of the organization is signed yet. */
const RETRY_SECONDS = 5;

/** Streams exports: each page is read when the one before it has been sent, and none after the client has gone. */
@Injectable()
class AuditExports {
  constructor(
    private readonly commands: CommandBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly signer: HeadSigner,
    private readonly entries: AuditEntries,
    private readonly registry: Registry,
  ) {}

  /** @throws Problem before the first byte; what fails later breaks the connection off */
  async start(wanted: ExportAuditLogDto, context: CommandContext): Promise<StreamableFile> {
    const { organizationId, format } = wanted;
    const filter = filterOf(wanted);
    const commandId = await this.commands.execute(new RecordExport({ organizationId, format, filter }, context));
    const revision = await untilChained(this.store, organizationId, commandId);
    if (format === 'csv') return this.file(wanted, this.csv(organizationId, filter));
    await untilSigned(this.signer, organizationId, revision);
    const text = await this.ndjson(organizationId, filter);
    return this.file(wanted, text);
  }

  /** For HEAD: nothing is exported, so nothing is recorded. */
  withoutContent(wanted: ExportAuditLogDto): StreamableFile {
    return this.file(wanted, []);
  }

  private async ndjson(organizationId: string, filter: AuditFilter): Promise<AsyncIterable<string>> {
    const head = await this.signer.signedHead(organizationId);
    if (!head) throw unavailableProblem(RETRY_SECONDS);
    return exportText(this.store, head, (event) => matchesAuditFilter(event, filter));
  }

  private async *csv(organizationId: string, filter: AuditFilter): AsyncGenerator<string, void> {
    yield csvHeader;
    for await (const page of historyPages(this.store, organizationId, PAGE)) {
      const entries = await this.entries.of(
        organizationId,
        page.filter((event) => matchesAuditFilter(event, filter)),
      );
      if (entries.length > 0) yield entries.map(csvRow).join('');
      if (isBefore(page, filter)) return;
    }
  }

  private file(
    { organizationId, format, from, to }: ExportAuditLogDto,
    text: Iterable<string> | AsyncIterable<string>,
  ) {
    const name = this.registry.organization(organizationId)?.name ?? organizationId;
    const days = [from, to].flatMap((time) => time?.slice(0, 'YYYY-MM-DD'.length) ?? []);
    const disposition = attachment([name, 'audit-log', ...days], format);
    return new StreamableFile(Readable.from(text), { type: TYPES[format], disposition });
  }
}

const TEXT = { schema: { type: 'string' } } as const;
const VERDICT = { $ref: getSchemaPath(AuditVerdictDto) };

/** Reads the event store itself, and no table that follows it. */
@ApiTags('Audit log')
@Controller('v1/audit-log')
@Requires('owner', 'admin', 'read:audit')
class AuditLogController {
  constructor(
    private readonly queries: QueryBus,
    private readonly exports: AuditExports,
    private readonly verification: AuditVerification,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Who changed what, newest first',
    description:
      'A request with filters looks at 10,000 events at most, so a page may be short, or empty, with `hasMore: true`. Further events do not shift the pages.',
  })
  @ApiOkResponse({ type: AuditPageDto })
  list(@Query() wanted: ListAuditLogDto, @CurrentCaller() caller: Caller): Promise<PlainData<AuditPageDto>> {
    return this.queries.execute(new ReadAuditLog(wanted, caller));
  }

  @Get('export')
  @Budget('export')
  @ApiOperation({
    summary: 'Everything that matches, as a file; the export itself is an entry of the audit log',
    description:
      'NDJSON is for proof: `npm run audit -- verify FILE` verifies it without this service. CSV is for reading.',
  })
  @ApiOkResponse({ content: { 'application/x-ndjson': TEXT, 'text/csv': TEXT } })
  async export(
    @Query() wanted: ExportAuditLogDto,
    @RequestContext() context: CommandContext,
    @IsHead() isHead: boolean,
  ): Promise<StreamableFile> {
    assertMay(context.caller, 'audit:read', wanted);
    return isHead ? this.exports.withoutContent(wanted) : this.exports.start(wanted, context);
  }

  @Get('verify')
  @ApiOperation({
    summary: 'Whether the history is what was recorded, with its signed head',
    description:
      'For keys with `read:audit`, and people who are owner or admin. With `format=ndjson` the answer is lines: `AuditProgressDto` a few times a second, then `AuditVerdictDto`. Without that last line nothing was proven.',
  })
  @ApiExtraModels(AuditProgressDto, AuditVerdictDto)
  @ApiOkResponse({
    content: {
      'application/json': { schema: VERDICT },
      'application/x-ndjson': { schema: { oneOf: [{ $ref: getSchemaPath(AuditProgressDto) }, VERDICT] } },
    },
  })
  async verify(
    @Query() { organizationId, format }: VerifyAuditLogDto,
    @CurrentCaller() caller: Caller,
    @IsHead() isHead: boolean,
  ): Promise<PlainData<AuditVerdictDto> | StreamableFile> {
    if (format === 'json') return this.queries.execute(new VerifyAuditLog(organizationId, caller));
    assertMay(caller, 'audit:read', { organizationId });
    const lines = isHead ? [] : await this.verification.lines(organizationId);
    return new StreamableFile(Readable.from(lines), { type: 'application/x-ndjson; charset=utf-8' });
  }
}

@Module({
  imports: [AuthModule, CommandsModule],
  controllers: [AuditLogController],
  providers: [
    AuditEntries,
    AuditExports,
    AuditVerification,
    ReadAuditLogHandler,
    VerifyAuditLogHandler,
    RecordExportHandler,
  ],
})
export class AuditLogModule {}
