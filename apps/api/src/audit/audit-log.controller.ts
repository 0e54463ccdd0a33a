import { Readable } from 'node:stream';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { assertMay } from '../auth/assert-may';
import { RequestContext, type CommandContext } from '../commands/command-context';
import type { Plain } from '../http/record.dto';
import { Budget, CurrentCaller, IsHead, Requires } from '../http/route';
import { AuditExports } from './audit-exports';
import {
  AuditPageDto,
  AuditProgressDto,
  AuditVerdictDto,
  ExportAuditLogDto,
  ListAuditLogDto,
  VerifyAuditLogDto,
} from './audit-log.dto';
import { AuditVerification, VerifyAuditLog } from './verify-audit-log.query';
import { ReadAuditLog } from './read-audit-log.query';

const TEXT = { schema: { type: 'string' } } as const;
const VERDICT = { $ref: getSchemaPath(AuditVerdictDto) };

/** Reads the event store itself, and no table that follows it. */
@ApiTags('Audit log')
@Controller('v1/audit-log')
@Requires('owner', 'admin', 'read:audit')
export class AuditLogController {
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
  list(@Query() wanted: ListAuditLogDto, @CurrentCaller() caller: Caller): Promise<Plain<AuditPageDto>> {
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
  ): Promise<Plain<AuditVerdictDto> | StreamableFile> {
    if (format === 'json') return this.queries.execute(new VerifyAuditLog(organizationId, caller));
    assertMay(caller, 'audit:read', { organizationId });
    const lines = isHead ? [] : await this.verification.lines(organizationId);
    return new StreamableFile(Readable.from(lines), { type: 'application/x-ndjson; charset=utf-8' });
  }
}
