import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { MAX_DEFINITION_NAME } from '@ledgerline/contracts/definitions';
import {
  SAVED_COMPARISONS,
  type SavedComparison,
  type ViewContent,
} from '@ledgerline/contracts/events/saved-view.events';
import { isQueryableDay, PRESETS } from '@ledgerline/domain/query/date-range';
import { plainView } from '@ledgerline/domain/saved-views/saved-view.decider';
import { updateDtoClass, recordOfFields } from '../commands/resource';
import { Id, Text, YesOrNo, stringRule } from '../http/fields';
import { SegmentDefinitionDto } from '../query/goals/definition.dto';

/** The content of a view, which of a private one its person alone sees. */
export type SavedViewContent = ViewContent & { readonly name: string };
/** A view as requests state it. */
export type OpenView = SavedViewContent & {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly isPrivate: boolean;
};
const Day = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, format: 'date', nullable: true, description }),
    IsOptional(),
    stringRule('isDay', isQueryableDay, 'must be a date that exists, as YYYY-MM-DD'),
  );

const OneOf = (words: readonly string[], description: string) =>
  applyDecorators(ApiPropertyOptional({ enum: words, nullable: true, description }), IsOptional(), IsIn(words));

const maybe = { optional: true, nullable: true } as const;

export class CreateSavedViewDto extends PickType(SegmentDefinitionDto, ['filters']) {
  @Id('The organization it belongs to')
  organizationId: string;

  @Id('The website whose pages it is for; fixed')
  websiteId: string;

  @Text(1, MAX_DEFINITION_NAME, {
    description: 'Display name, unique in its website; of a private one among the private ones of its person',
    example: 'Campaign in Germany',
  })
  name: string;

  @YesOrNo(
    false,
    'Only the person who creates it sees what it holds, and changes it; it is deleted when they leave. Fixed',
  )
  isPrivate?: boolean | null;

  @OneOf(PRESETS, 'Its range; null = days, or none of its own')
  preset?: string | null;

  @Day('First day of its range, with `endDate` and without `preset`')
  startDate?: string | null;

  @Day('Last day of its range')
  endDate?: string | null;

  @OneOf(SAVED_COMPARISONS, 'What its range is compared with; null = what the page compares with by default')
  compare?: SavedComparison | null;

  @Text(1, 64, { description: 'The id of a segment', ...maybe })
  segment?: string | null;

  @Text(1, 64, { description: 'The id of a goal', ...maybe })
  goal?: string | null;
}

/** The changes of a saved view: what is left out stays as it is. */
export class UpdateSavedViewDto extends updateDtoClass(
  CreateSavedViewDto,
  'organizationId',
  'websiteId',
  'isPrivate',
) {}

type Shown = Omit<OpenView, 'name'> & { readonly name: string | null };

export class SavedViewDto extends recordOfFields<Shown, CreateSavedViewDto>(CreateSavedViewDto, {
  ...plainView,
  isPrivate: false,
  name: null,
}) {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The person who alone sees what it holds; to others its name is null, and it holds nothing',
  })
  ownerId: string | null;
}
