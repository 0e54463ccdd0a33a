import type { StatusPageDetails, StatusPageSettings } from '@ledgerline/contracts/events/status-page.events';
import { isStatusSlug } from '@ledgerline/domain/status-pages/status-page.decider';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsOptional, IsString, Length } from 'class-validator';
import { holds, Id, sent, Text, Zone } from '../http/fields';
import type { Plain } from '../http/record.dto';

const MAX_MONITORS = 50;

/** What has a default; null = the default. */
class StatusPageOptionsDto {
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

  @ApiPropertyOptional({ type: Boolean, nullable: true, description: 'Whether others find the page', default: false })
  @IsOptional()
  @IsBoolean()
  isPublic?: boolean | null;

  @Zone({ description: 'Of the times that it shows', example: 'Europe/Berlin', optional: true, nullable: true })
  timezone?: string | null;
}

export class CreateStatusPageDto extends StatusPageOptionsDto {
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
}

/** What is left out stays as it is. */
export class UpdateStatusPageDto extends StatusPageOptionsDto {
  @Text(1, 100, { description: 'Heading of the page', example: 'Example Shop', optional: true })
  name?: string;
}

const DEFAULTS = { description: null, monitorIds: [], isPublic: false, timezone: 'UTC' } as const;

/** With the defaults of what was left out. */
export const newStatusPage = ({
  organizationId,
  slug,
  name,
  ...options
}: Plain<CreateStatusPageDto>): StatusPageDetails => ({
  ...DEFAULTS,
  ...statusPageChanges(options),
  organizationId,
  slug,
  name,
});

/** Only what was sent. */
export function statusPageChanges(body: Plain<UpdateStatusPageDto>): Partial<StatusPageSettings> {
  const defaults: Readonly<Record<string, unknown>> = DEFAULTS;
  return Object.fromEntries(Object.entries(sent(body)).map(([name, value]) => [name, value ?? defaults[name]]));
}
