import {
  ANNOTATION_KINDS,
  MAX_ANNOTATION_TEXT,
  type AnnotationDetails,
  type AnnotationKind,
} from '@ledgerline/contracts/events/annotation.events';
import { plainAnnotation } from '@ledgerline/domain/goals/annotation.decider';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ListOfWebsiteDto } from '../goals/goal.dto';
import { Id, Instant, Text } from '../http/fields';
import { changesOf, recordOfFields } from '../resources/resource.dto';

const maybe = { optional: true, nullable: true } as const;

export class ListAnnotationsDto extends ListOfWebsiteDto {
  @Id('Only those of this link', { optional: true })
  linkId?: string;
}

export class CreateAnnotationDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 64, { description: 'The website it is about; fixed', ...maybe })
  websiteId?: string | null;

  @Text(1, 64, {
    description: 'The link it is about, in place of a website; fixed. With neither it is about all of the organization',
    ...maybe,
  })
  linkId?: string | null;

  @Text(1, MAX_ANNOTATION_TEXT, { description: 'What happened', example: 'New prices', multiline: true })
  text: string;

  @ApiPropertyOptional({
    enum: ANNOTATION_KINDS,
    nullable: true,
    description: 'Sent by programs; null = what people write',
  })
  @IsOptional()
  @IsIn(ANNOTATION_KINDS)
  kind?: AnnotationKind | null;

  @Instant({ description: 'When it happened', example: '2026-11-27T12:00:00Z', ...maybe })
  at?: string | null;

  @Instant({ description: 'When it began, of something that lasted: in place of `at`', ...maybe })
  from?: string | null;

  @Instant({ description: 'When it ended', ...maybe })
  to?: string | null;
}

/** What is left out stays as it is. */
export class UpdateAnnotationDto extends changesOf(CreateAnnotationDto, 'organizationId', 'websiteId', 'linkId') {}

export class AnnotationDto extends recordOfFields<AnnotationDetails, CreateAnnotationDto>(
  CreateAnnotationDto,
  plainAnnotation,
) {}
