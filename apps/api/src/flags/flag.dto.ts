import { FLAG_STATUSES, FLAG_TYPES, type FlagStatus, type FlagType } from '@ledgerline/contracts/events/flag.events';
import type { Json } from '@ledgerline/contracts/json';
import { ApiProperty } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';
import { ApiJson } from './flag-fields';
import { FlagRolloutDto, FlagRuleDto } from './flag-rule.dto';
import { FlagEnvironmentDto, FlagVariantDto } from './flag-settings.dto';
import type { OpenedFlag } from './open-flag';

export class FlagDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null = a flag of all websites of the organization' })
  websiteId: string | null;

  @ApiProperty()
  key: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ enum: FLAG_TYPES })
  type: FlagType;

  @ApiProperty({ enum: FLAG_STATUSES })
  status: FlagStatus;

  @ApiJson({ description: 'Its value where nothing else decides' })
  defaultValue: Json;

  @ApiJson({ description: 'Given to clients while the flag is enabled for them', nullable: true })
  payload: Json;

  @ApiProperty({ type: String, nullable: true, description: 'Null = in all environments' })
  environment: string | null;

  @ApiProperty({ type: [FlagEnvironmentDto], description: 'Its state in some environments, in place of `status`' })
  environments: readonly Plain<FlagEnvironmentDto>[];

  @ApiProperty({ type: FlagRolloutDto, nullable: true })
  rollout: Plain<FlagRolloutDto> | null;

  @ApiProperty({ type: [FlagVariantDto] })
  variants: readonly Plain<FlagVariantDto>[];

  @ApiProperty({ type: [FlagRuleDto] })
  rules: OpenedFlag['rules'];
}

export const flagDto = (flag: OpenedFlag): Plain<FlagDto> => recordOf(flag);
