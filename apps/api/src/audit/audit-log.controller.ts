import { Controller, Get, Inject, Query, StreamableFile } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertMay } from '../auth/assert-may';
import { Context, type CommandContext } from '../commands/command-context';
import { OrganizationListDto } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { Budget, CurrentCaller, Requires } from '../http/route';
import { EVENT_STORE } from '../tokens';
import { cursorText, placeOf } from './audit-cursor';
import { AuditEntries } from './audit-entries';
import { AuditExports } from './audit-exports';
import { filterOf } from './audit-filter';
import { AuditPageDto, AuditVerdictDto, ExportAuditLogDto, ListAuditLogDto } from './audit-log.dto';
import { auditPage } from './audit-page';
import { AuditVerification } from './audit-verification';

const TEXT = { schema: { type: 'string' } } as const;

/** Reads the event store itself, and no table that follows it. */
@ApiTags('Audit log')
@Controller('v1/audit-log')
@Requires('owner', 'admin', 'read:audit')
export class AuditLogController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly entries: AuditEntries,
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
  async list(@Query() wanted: ListAuditLogDto, @CurrentCaller() caller: Caller): Promise<Plain<AuditPageDto>> {
    const { organizationId, cursor, limit } = wanted;
    assertMay(caller, 'audit:read', { organizationId });
    const before = placeOf(organizationId, cursor);
    const { events, next } = await auditPage(this.store, { organizationId, filter: filterOf(wanted), before, limit });
    const nextCursor = next === null ? null : cursorText(organizationId, next);
    return { success: true, data: await this.entries.of(events), hasMore: next !== null, nextCursor };
  }

  @Get('export')
  @Budget('export')
  @ApiOperation({
    summary: 'Everything that matches, as a file; the export itself is an entry of the audit log',
    description:
      'NDJSON is for proof: `npm run audit -- verify FILE` verifies it without this service. CSV is for reading.',
  })
  @ApiOkResponse({ content: { 'application/x-ndjson': TEXT, 'text/csv': TEXT } })
  async export(@Query() wanted: ExportAuditLogDto, @Context() context: CommandContext): Promise<StreamableFile> {
    assertMay(context.caller, 'audit:read', wanted);
    return this.exports.start(wanted, context);
  }

  @Get('verify')
  @ApiOperation({ summary: 'Whether the history is what was recorded, with its signed head' })
  @ApiOkResponse({ type: AuditVerdictDto })
  verify(
    @Query() { organizationId }: OrganizationListDto,
    @CurrentCaller() caller: Caller,
  ): Promise<Plain<AuditVerdictDto>> {
    assertMay(caller, 'audit:read', { organizationId });
    return this.verification.verdict(organizationId);
  }
}
