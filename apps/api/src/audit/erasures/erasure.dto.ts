import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsDefined, Matches, ValidateBy } from 'class-validator';
import type { ErasedInvitation, ErasedPerson, SubjectErased } from '@ledgerline/contracts/events/audit-log.events';
import { MAX_ID } from '@ledgerline/contracts/intake-limits';
import { isObject } from '@ledgerline/contracts/json';
import { type RecordedEvent, occurredAt } from '@ledgerline/platform/event-store/event-store';
import { Id, PageSize, Text } from '../../http/fields';
import { NestedList, NestedObject } from '../../http/nested';
import type { PlainData } from '../../http/record.dto';

const VISITORS = [
  ['websiteId', 'profileId'],
  ['websiteId', 'visitorId'],
  ['websiteId', 'anonymousId'],
];
const SUBJECTS = [['userId'], ['invitationId'], ...VISITORS];

const isOneOf = (subjects: readonly (readonly string[])[], subject: unknown): boolean => {
  const given = isObject(subject) ? subject : {};
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  return subjects.some((fields) => fields.length === names.length && fields.every((name) => names.includes(name)));
};

/** Returns whether it names one visitor, by one id. */
export const isVisitor = (subject: unknown): boolean => isOneOf(VISITORS, subject);

const EXAMPLE = { websiteId: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E', visitorId: '5d41402abc4b2a76b9719d911017c592' };
/** Erasures of one request. */
const MAX_AT_ONCE = 1_000;
const A_VISITOR = '{"websiteId": …} with "profileId", "visitorId" or "anonymousId"';

/** A visitor of a website: their profile, the id that lists show, or the id that the website gave them. */
export class VisitorSubjectDto {
  @Id('The website that identified the visitor', { optional: true })
  websiteId?: string;

  @Text(1, MAX_ID.profile, { description: 'As it was sent to `/identify`', optional: true, isCompared: true })
  profileId?: string;

  @Text(32, 32, { description: 'As lists show it', optional: true })
  @Matches(/^[0-9a-f]*$/, { message: '$property must be 32 hex digits in lower case' })
  visitorId?: string;

  @Text(1, MAX_ID.visitor, { description: 'As it was sent with hits', optional: true, isCompared: true })
  anonymousId?: string;
}

/** A person of the organization (`userId`), an invited address (`invitationId`), or a visitor of a website. */
class ErasureSubjectDto extends VisitorSubjectDto {
  @Id('The person, whether or not they are still a member', { optional: true })
  userId?: string;

  @Id('The invitation of a person who is no member', { optional: true })
  invitationId?: string;
}

/** A visitor by one of the ids that websites and lists have. */
export interface WantedVisitor {
  readonly websiteId: string;
  readonly by: 'profileId' | 'visitorId' | 'anonymousId';
  readonly id: string;
}

export type WantedSubject = ErasedPerson | ErasedInvitation | WantedVisitor;

/** One of them, as validation made sure. */
export function erasureSubjectOf(subject: ErasureSubjectDto): WantedSubject {
  const { userId, invitationId } = subject;
  if (userId !== undefined) return { userId };
  return invitationId === undefined ? wantedVisitor(subject) : { invitationId };
}

export function wantedVisitor(subject: VisitorSubjectDto): WantedVisitor {
  const { websiteId = '', profileId, visitorId, anonymousId = '' } = subject;
  if (profileId !== undefined) return { websiteId, by: 'profileId', id: profileId };
  if (visitorId !== undefined) return { websiteId, by: 'visitorId', id: visitorId };
  return { websiteId, by: 'anonymousId', id: anonymousId };
}

export class RequestErasureDto {
  @Id('The organization that forgets the subject')
  organizationId: string;

  @ApiProperty({ type: ErasureSubjectDto, example: { userId: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' } })
  @IsDefined()
  @ValidateBy(
    { name: 'isOneSubject', validator: { validate: (subject) => isOneOf(SUBJECTS, subject) } },
    { message: `$property must be {"userId": …}, {"invitationId": …} or ${A_VISITOR}` },
  )
  @NestedObject(() => ErasureSubjectDto)
  subject: ErasureSubjectDto;
}

export class RequestErasuresDto {
  @Id('The organization that forgets the visitors')
  organizationId: string;

  @ApiProperty({ type: [VisitorSubjectDto], minItems: 1, maxItems: MAX_AT_ONCE, example: [EXAMPLE] })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_AT_ONCE)
  @ValidateBy(
    { name: 'isOneVisitor', validator: { validate: isVisitor } },
    { each: true, message: `each of $property must be ${A_VISITOR}` },
  )
  @NestedList(() => VisitorSubjectDto, 'each of $property must be an object')
  subjects: VisitorSubjectDto[];
}

class ErasedSubjectDto {
  @ApiPropertyOptional()
  userId?: string;

  @ApiPropertyOptional()
  invitationId?: string;

  @ApiPropertyOptional()
  websiteId?: string;

  @ApiPropertyOptional({ type: [String], description: 'The ids of the visitor in the log' })
  visitors?: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    description:
      'Of an anonymous id, the days, months or `stable` whose ids are known still: what happened in others stays, and cannot be linked to the visitor any more',
  })
  reached?: readonly string[];

  @ApiPropertyOptional({ description: "The profile's random name in the log; its id may be an address" })
  profile?: string;
}

class ErasureProofDto {
  @ApiProperty({ description: 'Of the entry `subject.erased` in the audit log, which is part of the hash chain' })
  eventId: string;

  @ApiProperty({ type: [String], description: 'Sealed parts of events name them; empty = there was nothing to erase' })
  destroyedKeyIds: readonly string[];
}

class ErasureChecksDto {
  @ApiProperty({ type: 'integer', description: 'Ids of the visitor, and of clicks, that nothing may have' })
  rules: number;

  @ApiProperty({ type: 'integer', description: 'Read stores: whether their tables and texts have none' })
  readStores: number;

  @ApiProperty({ type: 'integer', description: 'Events that left the intake log' })
  events: number;

  @ApiProperty({ type: 'integer', description: 'Payloads of the intake log that were rewritten for it' })
  payloads: number;

  @ApiPropertyOptional({
    format: 'date',
    description:
      'Earlier days have counts alone, as retention has deleted their events; the visitor stays counted there',
  })
  countsBefore?: string;
}

class ErasureFilesDto {
  @ApiProperty({ format: 'date-time', description: 'Within a day the tables that were touched are rewritten' })
  by: string;

  @ApiProperty({ description: 'Whether they are, in all databases' })
  isDone: boolean;
}

export class ErasureDto {
  @ApiProperty({ example: 'era_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' })
  id: string;

  @ApiProperty()
  organizationId: string;

  @ApiProperty({ type: ErasedSubjectDto })
  subject: PlainData<ErasedSubjectDto>;

  @ApiProperty({
    enum: ['completed', 'erasing', 'account_kept', 'incomplete'],
    description:
      '`erasing`: the visits are being taken out of all figures and of the intake log, which takes seconds, of large websites minutes. `account_kept`: the person was a member of another organization, so that only what this one held is erased; `completed` once the account is deleted. `incomplete`: a key exists again, as after a backup was restored; request the erasure again',
  })
  state: 'completed' | 'erasing' | 'account_kept' | 'incomplete';

  @ApiPropertyOptional({ type: ErasureChecksDto, description: 'Of a visitor: what was checked, or is being' })
  checks?: PlainData<ErasureChecksDto>;

  @ApiPropertyOptional({
    type: ErasureFilesDto,
    description: 'By when the files of Postgres have nothing of it, once tables have nothing',
  })
  files?: PlainData<ErasureFilesDto>;

  @ApiProperty({ description: 'The owner who requested it' })
  requestedBy: string;

  @ApiProperty({ format: 'date-time' })
  completedAt: string;

  @ApiProperty({ type: ErasureProofDto })
  proof: PlainData<ErasureProofDto>;
}

export class ListErasuresDto {
  @Id('The organization whose erasures these are')
  organizationId: string;

  @Text(1, 512, { description: 'The `nextCursor` of the page before', optional: true })
  cursor?: string;

  @PageSize(20, 50)
  limit = 20;
}

export class ErasurePageDto {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ type: [ErasureDto], description: 'May be fewer than `limit`, or none, although more follow' })
  data: readonly PlainData<ErasureDto>[];

  @ApiProperty()
  hasMore: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page' })
  nextCursor: string | null;
}

export class PreviewErasureDto {
  @Id('The organization of the visitor')
  organizationId: string;

  @ApiProperty({ type: VisitorSubjectDto, example: EXAMPLE })
  @IsDefined()
  @ValidateBy(
    { name: 'isOneVisitor', validator: { validate: isVisitor } },
    { message: `$property must be ${A_VISITOR}` },
  )
  @NestedObject(() => VisitorSubjectDto)
  subject: VisitorSubjectDto;
}

/**
 * The parts of a visitor's data that figures show now; hits that arrive later, or were without a visitor, are not
 * counted.
 */
export class ErasurePreviewDto {
  @ApiProperty({ type: 'integer', description: 'Ids under which the visitor came' })
  visitors: number;

  @ApiProperty({ type: 'integer' })
  sessions: number;

  @ApiProperty({ type: 'integer' })
  events: number;

  @ApiProperty({ type: 'integer', description: 'On short links that led there' })
  clicks: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  firstAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastAt: string | null;
}

/** In the order of the subjects. */
export class ErasuresDto {
  @ApiProperty({ type: [ErasureDto] })
  data: readonly PlainData<ErasureDto>[];
}

export const erasureDto = (
  { id, metadata, recordedAt }: Pick<RecordedEvent, 'id' | 'metadata' | 'recordedAt'>,
  { erasureId, organizationId, subject, destroyedKeyIds }: SubjectErased['data'],
  { state, checks, files }: Pick<PlainData<ErasureDto>, 'state' | 'checks' | 'files'>,
): PlainData<ErasureDto> => ({
  id: erasureId,
  organizationId,
  subject,
  state,
  ...(checks && { checks }),
  ...(files && { files }),
  requestedBy: metadata['actor'] ?? 'unknown',
  completedAt: occurredAt({ metadata, recordedAt }),
  proof: { eventId: id, destroyedKeyIds },
});
