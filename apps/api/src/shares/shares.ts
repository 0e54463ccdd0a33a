import { Inject, Injectable } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import type { Filter } from '@ledgerline/contracts/definitions';
import { DASHBOARD_PANELS, type DashboardPanel, type ShareDetails } from '@ledgerline/contracts/events/share.events';
import type { Share } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { omit } from '@ledgerline/domain/decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { plainShare } from '@ledgerline/domain/shares/share.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { StartedCommand } from '../commands/command-context';
import { recordOf, Resource, updateDtoClass, recordOfFields } from '../commands/resource';
import { FutureInstant, Id, Text } from '../http/fields';
import { AnyFilterDto, FilterDto, FilterList } from '../http/filter.dto';
import { invalid } from '../http/problems';
import { OrganizationListDto, type PlainData } from '../http/record.dto';
import { PASSWORD_LENGTH } from '../identity/accounts/account.dto';
import { checkFilters } from '../query/execution/check-parameter';
import { summaryMetrics } from '../query/types/website/totals.query-type';
import { SETTINGS } from '../tokens';
import { hashPassword, isPassword, keyedPassword, shareToken } from './share-tokens';

/** A share with its password, keyed, in place of the hash. */
type OpenShare = Omit<ShareDetails, 'passwordHash'> & { readonly password: string | null };

type Changes = Partial<OpenShare>;

/** Statistics of websites at addresses that cannot be guessed; who may read a website sees them, who may change it makes them. */
@Injectable()
export class Shares extends Resource<Share, OpenShare, PlainData<ShareDto>> {
  readonly kind = 'shares';
  readonly defaults = { ...plainShare, password: null };

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  override prepare(input: Changes): Changes {
    const { password } = input;
    return typeof password === 'string'
      ? { ...input, password: keyedPassword(password, this.settings.keyPepper) }
      : input;
  }

  override async check(
    { organizationId, websiteId, filters = [] }: Changes,
    _: Caller,
    current?: Share,
  ): Promise<void> {
    checkFilters(summaryMetrics, filters);
    if (current || websiteId === undefined) return;
    const website = await this.live.find(() => this.registry.find('websites', websiteId));
    if (website?.organizationId !== organizationId)
      throw invalid([{ field: 'websiteId', message: 'Must be a website of the organization.' }]);
  }

  override records(shares: readonly Share[]): readonly PlainData<ShareDto>[] {
    const { publicApiUrl, keyPepper } = this.settings;
    return shares.map((each) => ({
      ...recordOf(omit(each, 'passwordHash')),
      panels: [...each.panels],
      filters: [...each.filters],
      hasPassword: each.passwordHash !== null,
      url: `${publicApiUrl}/share/${shareToken(each.id, keyPepper)}`,
    }));
  }

  /** Hashes are salted, so a password that stays the same is no change. */
  override async data(
    { password, ...input }: Changes,
    { startedAt }: StartedCommand,
    current?: Share,
  ): Promise<object> {
    if (current && (password === undefined || (await this.isSame(current, password)))) return input;
    const passwordHash = typeof password === 'string' ? await hashPassword(password) : null;
    return { ...input, passwordHash, ...(current ? {} : { startedAt }) };
  }

  private async isSame({ passwordHash }: Share, password: string | null): Promise<boolean> {
    if (password === null || passwordHash === null) return password === passwordHash;
    return isPassword(password, passwordHash);
  }
}

const MAX_FILTERS = 20;

/** The settings of a new share; null = the default. */
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
  @ArrayMaxSize(DASHBOARD_PANELS.length)
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

/** The changes of a share: what is left out stays as it is. */
export class UpdateShareDto extends updateDtoClass(CreateShareDto, 'organizationId', 'websiteId') {}

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
