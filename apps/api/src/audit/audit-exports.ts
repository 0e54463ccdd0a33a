import { Readable } from 'node:stream';
import type { AuditFilter, AuditLogExported } from '@ledgerline/contracts/events/audit-log.events';
import { auditLogExport } from '@ledgerline/domain/audit/audit-log.decider';
import { exportStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import { exportText, untilChained, untilSigned } from '@ledgerline/platform/event-store/audit-export';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { historyPages } from '@ledgerline/platform/event-store/read-whole';
import type { Plain } from '../http/record.dto';
import { csvLine } from '../http/csv-line';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import { unavailable } from '../http/problems';
import { EVENT_STORE } from '../tokens';
import type { AuditEntryDto, ExportAuditLogDto } from './audit-log.dto';
import { AuditEntries, filterOf, isBefore, matches } from './audit-entries';

type Entry = Plain<AuditEntryDto>;

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

const csvHeader = csvLine(Object.keys(COLUMNS));

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
export class RecordExportHandler implements ICommandHandler<RecordExport> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ wanted, context }: RecordExport): Promise<string> {
    const { organizationId } = wanted;
    assertMay(context.caller, 'audit:read', { organizationId });
    const started = await this.idempotency.start(context, 'ExportAuditLog', wanted, newId('exp'));
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
export class AuditExports {
  constructor(
    private readonly commands: CommandBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly signer: HeadSigner,
    private readonly entries: AuditEntries,
  ) {}

  /** @throws Problem before the first byte; what fails later breaks the connection off */
  async start(wanted: ExportAuditLogDto, context: CommandContext): Promise<StreamableFile> {
    const { organizationId, format } = wanted;
    const filter = filterOf(wanted);
    const commandId = await this.commands.execute(new RecordExport({ organizationId, format, filter }, context));
    const revision = await untilChained(this.store, organizationId, commandId);
    if (format === 'csv') return file(wanted, this.csv(organizationId, filter));
    await untilSigned(this.signer, organizationId, revision);
    const text = await this.ndjson(organizationId, filter);
    return file(wanted, text);
  }

  /** For HEAD: nothing is exported, so nothing is recorded. */
  withoutContent(wanted: ExportAuditLogDto): StreamableFile {
    return file(wanted, []);
  }

  private async ndjson(organizationId: string, filter: AuditFilter): Promise<AsyncIterable<string>> {
    const head = await this.signer.signedHead(organizationId);
    if (!head) throw unavailable(RETRY_SECONDS);
    return exportText(this.store, head, (event) => matches(event, filter));
  }

  private async *csv(organizationId: string, filter: AuditFilter): AsyncGenerator<string, void> {
    yield csvHeader;
    for await (const page of historyPages(this.store, organizationId, PAGE)) {
      const entries = await this.entries.of(page.filter((event) => matches(event, filter)));
      if (entries.length > 0) yield entries.map(csvRow).join('');
      if (isBefore(page, filter)) return;
    }
  }
}

function file({ organizationId, format }: ExportAuditLogDto, text: Iterable<string> | AsyncIterable<string>) {
  const disposition = `attachment; filename="audit-log-${organizationId}.${format}"`;
  return new StreamableFile(Readable.from(text), { type: TYPES[format], disposition });
}
