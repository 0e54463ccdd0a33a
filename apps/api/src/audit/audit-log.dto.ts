import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { AUDIT_EXPORT_FORMATS, type AuditExportFormat } from '@ledgerline/contracts/events/audit-log.events';
import {
  ACTOR_TYPES,
  type ActorType,
  AUDIT_ACTIONS,
  AUDIT_TARGET_TYPES,
  type AuditChanges,
  type AuditTarget,
} from '@ledgerline/domain/audit/audited-events';
import { PROOF_STATES, type ProofState } from '@ledgerline/platform/event-store/appended-events';
import { Instant, PageSize, Text } from '../http/fields';
import { OrganizationListDto, type PlainData, anyJson, object } from '../http/record.dto';

/** All conditions hold at once. */
class AuditFilterDto extends OrganizationListDto {
  @ApiPropertyOptional({ enum: AUDIT_ACTIONS })
  @IsOptional()
  @IsIn(AUDIT_ACTIONS)
  action?: string;

  @Text(1, 64, { description: 'The person or key who did it, or `system`', optional: true })
  actorId?: string;

  @ApiPropertyOptional({ enum: AUDIT_TARGET_TYPES })
  @IsOptional()
  @IsIn(AUDIT_TARGET_TYPES)
  targetType?: string;

  @Text(1, 255, { description: 'What it was done to', optional: true })
  targetId?: string;

  @Instant({ description: 'Not before this time', optional: true })
  from?: string;

  @Instant({ description: 'Before this time', optional: true })
  to?: string;
}

export class ListAuditLogDto extends AuditFilterDto {
  @Text(1, 512, { description: 'The `nextCursor` of the page before', optional: true })
  cursor?: string;

  @PageSize()
  limit = 50;
}

export class ExportAuditLogDto extends AuditFilterDto {
  @ApiPropertyOptional({ enum: AUDIT_EXPORT_FORMATS, default: 'ndjson' })
  @IsOptional()
  @IsIn(AUDIT_EXPORT_FORMATS)
  format: AuditExportFormat = 'ndjson';
}

class AuditActorDto {
  @ApiProperty({ enum: ACTOR_TYPES })
  type: ActorType;

  @ApiProperty({ example: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' })
  id: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null once the person was erased' })
  name: string | null;
}

class AuditTargetDto implements AuditTarget {
  @ApiProperty({ enum: AUDIT_TARGET_TYPES })
  type: string;

  @ApiProperty({ type: String, nullable: true })
  id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'As it was then; of a person, null once the person was erased',
  })
  name: string | null;
}

const VERDICT_FORMATS = ['json', 'ndjson'] as const;

export class VerifyAuditLogDto extends OrganizationListDto {
  @ApiPropertyOptional({
    enum: VERDICT_FORMATS,
    default: 'json',
    description: '`ndjson` = lines with the progress while it verifies, and the verdict as the last line',
  })
  @IsOptional()
  @IsIn(VERDICT_FORMATS)
  format: (typeof VERDICT_FORMATS)[number] = 'json';
}

/** One change. */
export class AuditEntryDto {
  @ApiProperty({ description: 'Of the event, a UUID', pattern: '^[0-9a-f-]{36}$' })
  id: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'From 0 in the hash chain of the organization; null for the second or so until it is sealed',
  })
  position: number | null;

  @ApiProperty({ enum: AUDIT_ACTIONS })
  action: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When the command was handled, which the hash covers; for events of early versions `recordedAt`',
  })
  occurredAt: string;

  @ApiProperty({ format: 'date-time', description: 'When the event store stored it: unproven, as no hash covers it' })
  recordedAt: string;

  @ApiProperty({ type: AuditActorDto })
  actor: PlainData<AuditActorDto>;

  @ApiProperty({ type: AuditTargetDto })
  target: PlainData<AuditTargetDto>;

  @ApiProperty({
    type: 'object',
    additionalProperties: object({ before: anyJson, after: anyJson }),
    description: 'By field; `before` is null for what was created',
    example: { name: { before: 'Shop', after: 'Store' } },
  })
  changes: AuditChanges;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, description: 'The event and its command' })
  metadata: Readonly<Record<string, string>>;

  @ApiProperty({ type: String, nullable: true })
  requestId: string | null;

  @ApiProperty({ type: String, nullable: true })
  ip: string | null;

  @ApiProperty({ type: String, nullable: true })
  userAgent: string | null;

  @ApiProperty({ type: String, nullable: true })
  correlationId: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'SHA-256 at its position of the hash chain' })
  hash: string | null;

  @ApiProperty({
    enum: PROOF_STATES,
    description:
      '`sealed` = its hash is that of its content, `pending` = recorded a moment ago and not sealed yet, `unproven` = not what was sealed, not sealed in time, or written by something else: its actor proves nothing',
  })
  proof: ProofState;
}

export class AuditPageDto {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ type: [AuditEntryDto], description: 'May be fewer than `limit`, or none, although more follow' })
  data: readonly AuditEntryDto[];

  @ApiProperty()
  hasMore: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page' })
  nextCursor: string | null;
}

class ChainHeadDto {
  @ApiProperty({ type: 'integer' })
  revision: number;

  @ApiProperty({ description: 'SHA-256, 64 hex digits' })
  hash: string;
}

const FINDINGS = ['changed', 'dropped', 'swapped', 'inserted', 'unsealed', 'head_mismatch', 'unsigned'] as const;

class InvalidPlaceDto {
  @ApiProperty({ type: 'integer' })
  revision: number;

  @ApiProperty({
    enum: FINDINGS,
    description:
      '`unsealed` = it has no place, although there was time to give it one; `head_mismatch` = the head is not the hash of this event, which is right in itself: one of the two was changed; `unsigned` = a head is stored without a valid signature',
  })
  finding: (typeof FINDINGS)[number];

  @ApiPropertyOptional({ description: 'Of the event found there' })
  id?: string;
}

/** A line of a verification that is under way. */
export class AuditProgressDto {
  @ApiProperty({ type: 'integer', description: 'Events whose hashes were recomputed so far, newest first' })
  verified: number;

  @ApiProperty({ type: 'integer', description: 'Events up to the signed head' })
  total: number;
}

export class AuditVerdictDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty({ description: 'Whether every event is what was recorded, at its place' })
  valid: boolean;

  @ApiProperty({ type: 'integer', description: 'Events that were verified' })
  events: number;

  @ApiProperty({ type: 'integer', description: 'The newest events, which are not sealed yet and not verified' })
  unsealed: number;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When the oldest of these was recorded; only with EventStoreDB, while there are any',
  })
  unsealedSince?: string;

  @ApiProperty({ type: ChainHeadDto, nullable: true, description: 'The newest place of the hash chain' })
  head: PlainData<ChainHeadDto> | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  signedAt: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Of the public key' })
  keyId: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Ed25519, base64; null unless the history is valid' })
  signature: string | null;

  @ApiPropertyOptional({ type: InvalidPlaceDto })
  firstInvalid?: PlainData<InvalidPlaceDto>;

  @ApiPropertyOptional({
    description: 'Why no more of the history, or of all histories, is signed; absent where nothing is known',
  })
  fault?: string;
}
