import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsIn, IsNumber, IsOptional, Max, Min } from 'class-validator';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import {
  ENVIRONMENT_STATUSES,
  FLAG_STATUSES,
  FLAG_TYPES,
  type FlagEnvironment,
  type FlagSettings,
  type FlagStatus,
  type FlagType,
} from '@ledgerline/contracts/events/flag.events';
import type { Json } from '@ledgerline/contracts/json';
import type { Flag } from '@ledgerline/contracts/records';
import type { OpenFlag } from '@ledgerline/domain/flags/evaluate-flag';
import type { OpenRule } from '@ledgerline/domain/flags/flag-rules';
import { plainFlag } from '@ledgerline/domain/flags/flag.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { StartedCommand } from '../commands/command-context';
import { recordOf, Resource, assertWebsite, updateDtoClass, recordOfFields } from '../commands/resource';
import { ChoiceField, Id, Text, stringRule, isShort } from '../http/fields';
import { NestedList, NestedObject } from '../http/nested';
import { type PlainData } from '../http/record.dto';
import { ApiJson, FlagRolloutDto, FlagRuleDto, AnyJsonField } from './flag-rule.dto';
import { RuleSealing, sealedFlag } from './sealed-rules';

@Injectable()
export class Flags extends Resource<Flag, OpenFlag, PlainData<FlagDto>> {
  readonly kind = 'flags';
  readonly defaults = { ...plainFlag, websiteId: null };

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly sealing: RuleSealing,
  ) {
    super();
  }

  override check(input: Partial<OpenFlag>): Promise<void> {
    return assertWebsite(this.registry, this.live, input);
  }

  /** Makes former values of rules unreadable, also those that an update that did not get here has left. */
  override async stored(
    changes: Partial<OpenFlag> | null,
    after: Flag | null,
    history: readonly Recorded[],
  ): Promise<void> {
    if (!changes || changes.rules) await this.sealing.destroyAllBut(after && sealedFlag(after), history);
  }

  override async records(flags: readonly Flag[]): Promise<readonly PlainData<FlagDto>[]> {
    return (await this.sealing.open(flags)).map(recordOf);
  }

  /** Values are encrypted anew each time, so rules that stay the same are no change. */
  override async data(
    { rules, ...input }: Partial<OpenFlag>,
    { id }: StartedCommand,
    current?: Flag,
  ): Promise<Partial<FlagSettings>> {
    if (!rules) return input;
    const wanted = rules.map(shortest);
    const [opened] = current ? await this.sealing.open([current]) : [];
    if (isDeepStrictEqual(opened?.rules, wanted)) return input;
    const { organizationId = '' } = current ?? input;
    return { ...input, ...(await this.sealing.seal({ organizationId, id }, wanted)) };
  }
}

/** Without fields that say nothing. */
const shortest = ({ and, rollout, ...rule }: OpenRule): OpenRule => ({
  ...rule,
  ...(and && and.length > 0 && { and }),
  ...(rollout && { rollout }),
});

// an event of a changed flag holds all of it twice, before and after, in its 64 KiB
const MAX_VALUE_BYTES = 1_000;
const MAX_PAYLOAD_BYTES = 4_000;
const MAX_VARIANTS_BYTES = 6_000;
const MAX_RULES_BYTES = 10_000;
const MAX_ENVIRONMENTS = 20;

class FlagVariantDto {
  @Text(1, 100, { description: 'Its name', example: 'blue' })
  key: string;

  @AnyJsonField(MAX_VALUE_BYTES, { description: 'What clients get', example: '#00f' })
  value: Json;

  @ApiProperty({ minimum: 0, maximum: 1_000_000, description: 'Its share is weight ÷ sum of all weights', example: 50 })
  @IsNumber()
  @Min(0)
  @Max(1_000_000)
  weight: number;
}

class FlagEnvironmentDto {
  @Text(1, 50, { description: 'As clients send it', example: 'production' })
  name: string;

  @ApiProperty({ enum: ENVIRONMENT_STATUSES, description: 'In place of `status`, unless that is `archived`' })
  @IsIn(ENVIRONMENT_STATUSES)
  status: FlagEnvironment['status'];
}

/** The settings of a new flag; null = the default. */
export class CreateFlagDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 64, {
    description: 'The only website that has it; null = all of the organization',
    optional: true,
    nullable: true,
  })
  websiteId?: string | null;

  @ApiProperty({
    description: 'What clients ask for; unique in its website or organization, and fixed',
    pattern: '^[A-Za-z0-9_-]{1,100}$',
    example: 'new-checkout',
  })
  @stringRule('isFlagKey', (text) => /^[A-Za-z0-9_-]{1,100}$/.test(text), 'must be 1 to 100 of A–Z, a–z, 0–9, _ and -')
  key: string;

  @Text(1, 100, { description: 'Display name', example: 'New checkout' })
  name: string;

  @Text(1, 500, { description: 'What it is for', optional: true, nullable: true, multiline: true })
  description?: string | null;

  @ChoiceField(FLAG_TYPES, plainFlag.type)
  type?: FlagType | null;

  @ChoiceField(FLAG_STATUSES, plainFlag.status, 'Only active flags are found by clients')
  status?: FlagStatus | null;

  @AnyJsonField(MAX_VALUE_BYTES, {
    description: 'Its value where nothing else decides: a boolean, except of a multivariant flag; default false',
    nullable: true,
    required: false,
  })
  defaultValue?: Json;

  @AnyJsonField(MAX_PAYLOAD_BYTES, {
    description: 'Given to clients while the flag is enabled for them',
    nullable: true,
    required: false,
  })
  payload?: Json;

  @Text(1, 50, {
    description: 'The only environment in which it exists; null = in all',
    optional: true,
    nullable: true,
  })
  environment?: string | null;

  @ApiPropertyOptional({
    type: [FlagEnvironmentDto],
    nullable: true,
    maxItems: MAX_ENVIRONMENTS,
    description: 'Its state in some environments, of a flag of all',
  })
  @IsOptional()
  @ArrayMaxSize(MAX_ENVIRONMENTS)
  @NestedList(() => FlagEnvironmentDto, 'each environment must be an object')
  environments?: FlagEnvironmentDto[] | null;

  @ApiPropertyOptional({ type: FlagRolloutDto, nullable: true, description: 'Of a rollout flag, which needs it' })
  @IsOptional()
  @NestedObject(() => FlagRolloutDto)
  rollout?: FlagRolloutDto | null;

  @ApiPropertyOptional({
    type: [FlagVariantDto],
    nullable: true,
    maxItems: 20,
    description: 'Of a multivariant flag, which needs them',
  })
  @IsOptional()
  @ArrayMaxSize(20)
  @isShort(MAX_VARIANTS_BYTES)
  @NestedList(() => FlagVariantDto, 'each variant must be an object')
  variants?: FlagVariantDto[] | null;

  @ApiPropertyOptional({
    type: [FlagRuleDto],
    nullable: true,
    maxItems: 30,
    description: 'The first that matches decides, before anything else',
  })
  @IsOptional()
  @ArrayMaxSize(30)
  @isShort(MAX_RULES_BYTES)
  @NestedList(() => FlagRuleDto, 'each rule must be an object')
  rules?: FlagRuleDto[] | null;
}

/** The changes of a flag: what is left out stays as it is. */
export class UpdateFlagDto extends updateDtoClass(CreateFlagDto, 'organizationId', 'websiteId', 'key') {}

export class FlagDto extends recordOfFields<OpenFlag, CreateFlagDto>(
  CreateFlagDto,
  { ...plainFlag, websiteId: null },
  'defaultValue',
  'payload',
) {
  @ApiJson({ description: 'Its value where nothing else decides' })
  override defaultValue: Json;

  @ApiJson({ description: 'Given to clients while the flag is enabled for them', nullable: true })
  override payload: Json;
}
