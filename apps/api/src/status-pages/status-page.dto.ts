import type { StatusPageDetails, StatusPageSettings } from '@ledgerline/contracts/events/status-page.events';
import { isStatusSlug } from '@ledgerline/domain/status-pages/status-page.decider';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, Length } from 'class-validator';
import { holds, Id, Text, YesOrNo, Zone } from '../http/fields';
import { changesOf, recordOfFields } from '../resources/resource.dto';

const MAX_MONITORS = 50;

/** What a page has by default. */
export const plainStatusPage = {
  description: null,
  monitorIds: [],
  isPublic: false,
  timezone: 'UTC',
} as const satisfies Omit<StatusPageSettings, 'name'>;

/** What a page is made of; null = the default. */
export class CreateStatusPageDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @ApiProperty({
    description: 'Where it is found; fixed, and unique over all organizations',
    pattern: '^[a-z0-9](?:[a-z0-9-]{1,48})[a-z0-9]$',
    example: 'example-shop',
  })
  @holds('isStatusSlug', isStatusSlug, 'must be 3 to 50 of a–z, 0–9 and -, and begin and end with none of the latter')
  slug: string;

  @Text(1, 100, { description: 'Heading of the page', example: 'Example Shop' })
  name: string;

  @Text(1, 1_000, { description: 'Shown under the name', optional: true, nullable: true, multiline: true })
  description?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: MAX_MONITORS,
    description: 'The monitors that are shown, in this order',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_MONITORS)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  monitorIds?: string[] | null;

  @YesOrNo(plainStatusPage.isPublic, 'Whether others find the page')
  isPublic?: boolean | null;

  @Zone({ description: 'Of the times that it shows', example: 'Europe/Berlin', optional: true, nullable: true })
  timezone?: string | null;
}

/** What is left out stays as it is. */
export class UpdateStatusPageDto extends changesOf(CreateStatusPageDto, 'organizationId', 'slug') {}

export class StatusPageDto extends recordOfFields<StatusPageDetails, CreateStatusPageDto>(
  CreateStatusPageDto,
  plainStatusPage,
) {
  @ApiProperty({ description: 'Where people find it' })
  url: string;
}
