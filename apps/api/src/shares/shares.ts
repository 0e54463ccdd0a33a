import type { ShareDetails } from '@ledgerline/contracts/events/share.events';
import type { Share } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { omit } from '@ledgerline/domain/changes';
import { Registry } from '@ledgerline/domain/registry/registry';
import { plainShare, share, type ShareCommand } from '@ledgerline/domain/shares/share.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import { shareStream } from '@ledgerline/platform/event-store/streams';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Inject, Injectable } from '@nestjs/common';
import type { StartedCommand } from '../commands/idempotency-store';
import { invalid } from '../http/problems';
import { recordOf, type Plain } from '../http/record.dto';
import { checkFilters } from '../query/execution/plan';
import { summaryMetrics } from '../query/types/website/totals.query-type';
import { decision, type Decision, type Resource } from '../resources/resource';
import { SETTINGS } from '../tokens';
import type { ShareDto } from './share.dto';
import { hashPassword, isPassword, keyedPassword, shareToken } from './share-tokens';

/** A share with its password, keyed, in place of the hash. */
type OpenShare = Omit<ShareDetails, 'passwordHash'> & { readonly password: string | null };
type Changes = Partial<OpenShare>;

/** Statistics of websites at addresses that nobody can guess; who may read a website sees them, who may change it makes them. */
@Injectable()
export class Shares implements Resource<Share, OpenShare, Plain<ShareDto>> {
  static readonly commands = ['CreateShare', 'UpdateShare', 'DeleteShare'] as const;
  readonly noun = 'Share';
  readonly idPrefix = 'share';
  readonly reads = 'websites:read';
  readonly writes = 'websites:write';
  readonly defaults = { ...plainShare, password: null };

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  entry(registry: () => Registry, id: string): Share | undefined {
    return registry().share(id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Share[] {
    return registry.sharesOf(organizationId).filter(({ websiteId }) => registry.website(websiteId));
  }

  prepare(input: Changes): Changes {
    const { password } = input;
    return typeof password === 'string'
      ? { ...input, password: keyedPassword(password, this.settings.keyPepper) }
      : input;
  }

  async check({ organizationId, websiteId, filters = [] }: Changes, _: Caller, current?: Share): Promise<void> {
    checkFilters(summaryMetrics, filters);
    if (current || websiteId === undefined) return;
    const isOwn = () => this.registry.website(websiteId)?.organizationId === organizationId;
    if (!isOwn()) await this.live.catchUp();
    if (!isOwn()) throw invalid([{ field: 'websiteId', message: 'Must be a website of the organization.' }]);
  }

  async create({ password, ...input }: OpenShare, { id, startedAt }: StartedCommand): Promise<Decision> {
    const passwordHash = password === null ? null : await hashPassword(password);
    return decided({ ...input, id }, { type: 'CreateShare', data: { ...input, passwordHash, shareId: id, startedAt } });
  }

  async update({ password, ...changes }: Changes, current: Share): Promise<Decision> {
    const isSame = password === undefined || (await this.isSame(current, password));
    const hash = isSame ? {} : { passwordHash: password === null ? null : await hashPassword(password) };
    return decided(current, { type: 'UpdateShare', data: { changes: { ...changes, ...hash } } });
  }

  delete(current: Share): Decision {
    return decided(current, { type: 'DeleteShare', data: {} });
  }

  records(shares: readonly Share[]): readonly Plain<ShareDto>[] {
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
  private async isSame({ passwordHash }: Share, password: string | null): Promise<boolean> {
    if (password === null || passwordHash === null) return password === passwordHash;
    return isPassword(password, passwordHash);
  }
}

const decided = ({ organizationId, id }: Pick<Share, 'organizationId' | 'id'>, command: ShareCommand): Decision =>
  decision(share, shareStream(organizationId, id), command);
