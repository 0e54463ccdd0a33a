import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { AuditFilter } from '@ledgerline/contracts/events/audit-log.events';
import { exportText, untilChained, untilSigned } from '@ledgerline/platform/audit-export/export-text';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { unavailable } from '../http/problems';
import { EVENT_STORE } from '../tokens';
import { AuditEntries } from './audit-entries';
import { csvHeader, csvRow } from './audit-csv';
import { filterOf, isBefore, matches } from './audit-filter';
import type { ExportAuditLogDto } from './audit-log.dto';
import { historyPages } from '@ledgerline/platform/event-store/history-pages';
import { RecordExport } from './record-export.command';

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
