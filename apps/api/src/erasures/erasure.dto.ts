import type { ErasedInvitation, ErasedPerson, SubjectErased } from '@ledgerline/contracts/events/audit-log.events';
import { type RecordedEvent, occurredAt } from '@ledgerline/platform/event-store/event-store';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, ValidateBy } from 'class-validator';
import { Id, Text } from '../http/fields';
import { NestedObject } from '../http/nested';
import type { Plain } from '../http/record.dto';

const SUBJECTS = [['userId'], ['invitationId'], ['websiteId', 'profileId']];

const isOneSubject = (subject: unknown): boolean => {
  const given = Object.entries(Object(subject) as object).filter(([, value]) => value !== undefined);
  const names = given.map(([name]) => name);
  return SUBJECTS.some((fields) => fields.length === names.length && fields.every((name) => names.includes(name)));
};

/** A person of the organization (`userId`), an invited address (`invitationId`), or the profile of a visitor (`websiteId` and `profileId`). */
export class ErasureSubjectDto {
  @Id('The person, whether or not they are still a member', { optional: true })
  userId?: string;

  @Id('The invitation of somebody who is no member', { optional: true })
  invitationId?: string;

  @Id('The website that identified the visitor', { optional: true })
  websiteId?: string;

  @Text(1, 128, { description: 'As it was sent to `/identify`', optional: true, isCompared: true })
  profileId?: string;
}

/** A profile as websites name it. */
export interface WantedProfile {
  readonly websiteId: string;
  readonly profileId: string;
}

export type WantedSubject = ErasedPerson | ErasedInvitation | WantedProfile;

/** One of the three, as validation made sure. */
export function wantedSubject(subject: ErasureSubjectDto): WantedSubject {
  const { userId, invitationId, websiteId = '', profileId = '' } = subject;
  if (userId !== undefined) return { userId };
  return invitationId === undefined ? { websiteId, profileId } : { invitationId };
}

export class RequestErasureDto {
  @Id('The organization that forgets the subject')
  organizationId: string;

  @ApiProperty({ type: ErasureSubjectDto, example: { userId: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' } })
  @IsDefined()
  @ValidateBy(
    { name: 'isOneSubject', validator: { validate: isOneSubject } },
    { message: '$property must be {"userId": …}, {"invitationId": …} or {"websiteId": …, "profileId": …}' },
  )
  @NestedObject(() => ErasureSubjectDto)
  subject: ErasureSubjectDto;
}

export class ErasedSubjectDto {
  @ApiPropertyOptional()
  userId?: string;

  @ApiPropertyOptional()
  invitationId?: string;

  @ApiPropertyOptional()
  websiteId?: string;

  @ApiPropertyOptional({ type: [String], description: 'The ids of the visitor' })
  visitors?: readonly string[];

  @ApiPropertyOptional({ description: "The profile's random name in the log; its id may be an address" })
  profile?: string;
}

export class ErasureProofDto {
  @ApiProperty({ description: 'Of the entry `subject.erased` in the audit log, which is part of the hash chain' })
  eventId: string;

  @ApiProperty({ type: [String], description: 'Sealed parts of events name them; empty = there was nothing to erase' })
  destroyedKeyIds: readonly string[];
}

export class ErasureDto {
  @ApiProperty({ example: 'era_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' })
  id: string;

  @ApiProperty()
  organizationId: string;

  @ApiProperty({ type: ErasedSubjectDto })
  subject: Plain<ErasedSubjectDto>;

  @ApiProperty({
    enum: ['completed', 'erasing', 'account_kept', 'incomplete'],
    description:
      '`erasing`: the visits of a profile are being taken out of all figures, which takes seconds, of large websites minutes. `account_kept`: the person was a member of another organization, so that only what this one held is erased; `completed` once the account is deleted. `incomplete`: a key exists again, as after a backup was restored; request the erasure again',
  })
  state: 'completed' | 'erasing' | 'account_kept' | 'incomplete';

  @ApiProperty({ description: 'The owner who requested it' })
  requestedBy: string;

  @ApiProperty({ format: 'date-time' })
  completedAt: string;

  @ApiProperty({ type: ErasureProofDto })
  proof: Plain<ErasureProofDto>;
}

export const erasureDto = (
  { id, metadata, recordedAt }: Pick<RecordedEvent, 'id' | 'metadata' | 'recordedAt'>,
  { erasureId, organizationId, subject, destroyedKeyIds }: SubjectErased['data'],
  state: ErasureDto['state'],
): Plain<ErasureDto> => ({
  id: erasureId,
  organizationId,
  subject,
  state,
  requestedBy: metadata['actor'] ?? 'unknown',
  completedAt: occurredAt({ metadata, recordedAt }),
  proof: { eventId: id, destroyedKeyIds },
});
