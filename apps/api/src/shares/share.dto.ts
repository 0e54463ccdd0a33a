import type { Filter } from '@ledgerline/contracts/definitions';
import { DASHBOARD_PANELS, type DashboardPanel, type ShareDetails } from '@ledgerline/contracts/events/share.events';
import { plainShare } from '@ledgerline/domain/shares/share.decider';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayUnique, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { PASSWORD_LENGTH } from '../accounts/account.dto';
import { FutureInstant, Id, Text } from '../http/fields';
import { AnyFilterDto, FilterDto, FilterList } from '../http/filter.dto';
import { OrganizationListDto } from '../http/record.dto';
import { changesOf, recordOfFields } from '../resources/resource.dto';

const MAX_FILTERS = 20;

/** What a share is made of; null = the default. */
@ApiExtraModels(FilterDto, AnyFilterDto)
export class CreateShareDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Id('The website whose statistics are shared')
  websiteId: string;

  @Text(1, 100, { description: 'Whom it is for; they see it', example: 'Weekly numbers' })
  name: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...DASHBOARD_PANELS] },
    nullable: true,
    default: plainShare.panels,
    description: 'The lists that are shown below the figures. What may be asked does not depend on them',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsIn(DASHBOARD_PANELS, { each: true })
  panels?: DashboardPanel[] | null;

  @FilterList({ max: MAX_FILTERS, nullable: true, description: 'Added to all that is asked with it, whoever asks' })
  filters?: Filter[] | null;

  @FutureInstant({ description: 'From then on it is not found; null = never', optional: true, nullable: true })
  expiresAt?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    description: 'Asked before anything is shown; it cannot be read again. null = none',
  })
  @IsOptional()
  @IsString()
  @Length(PASSWORD_LENGTH.min, PASSWORD_LENGTH.max)
  password?: string | null;
}

/** What is left out stays as it is. */
export class UpdateShareDto extends changesOf(CreateShareDto, 'organizationId', 'websiteId') {}

export class ListSharesDto extends OrganizationListDto {
  @Id('Only shares of this website', { optional: true })
  websiteId?: string;
}

export class ShareDto extends recordOfFields<ShareDetails, CreateShareDto>(CreateShareDto, plainShare, 'password') {
  @ApiProperty({ description: 'Whether a password is asked' })
  hasPassword: boolean;

  @ApiProperty({
    description: 'Where it is seen. Whoever has it may see it: there is no other credential',
    format: 'uri',
  })
  url: string;
}

export class SharePasswordDto {
  @ApiProperty({ example: 'correct horse battery', maxLength: PASSWORD_LENGTH.max })
  @IsString()
  @Length(1, PASSWORD_LENGTH.max)
  password: string;
}
