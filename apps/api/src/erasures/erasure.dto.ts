import type { SubjectErased } from '@ledgerline/contracts/events/erasure.events';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsObject, ValidateBy, ValidateNested } from 'class-validator';
import { Id } from '../http/fields';
import type { Plain } from '../http/record.dto';

const OF_VISITORS = ['websiteId', 'visitorId', 'profileId', 'anonymousId'];

const isPerson = (subject: unknown): boolean =>
  typeof subject !== 'object' || subject === null || OF_VISITORS.every((name) => !(name in subject));

export class ErasureSubjectDto {
  @Id('The person, whether or not they are still a member')
  userId: string;
}

export class RequestErasureDto {
  @Id('The organization whose audit log forgets the person')
  organizationId: string;

  @ApiProperty({ type: ErasureSubjectDto })
  @IsDefined()
  @IsObject()
  @ValidateBy(
    { name: 'isPerson', validator: { validate: isPerson } },
    { message: 'visitors cannot be erased with this version: subject must be {"userId": …}' },
  )
  @ValidateNested()
  @Type(() => ErasureSubjectDto)
  subject: ErasureSubjectDto;
}

export class ErasedSubjectDto {
  @ApiProperty()
  userId: string;
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
    enum: ['completed', 'incomplete'],
    description: '`incomplete`: a key exists again, as after a backup was restored; request the erasure again',
  })
  state: 'completed' | 'incomplete';

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
  subject: { userId: subject.userId },
  state,
  requestedBy: metadata['actor'] ?? 'unknown',
  completedAt: recordedAt.toISOString(),
  proof: { eventId: id, destroyedKeyIds },
});
