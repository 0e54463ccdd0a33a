import { Inject, Injectable } from '@nestjs/common';
import { DASHBOARD_PANELS, type DashboardPanel } from '@ledgerline/contracts/events/share.events';
import type { Share, Website } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { forbidden, invalid, notFound } from '../../http/problems';
import { websiteTarget, type QueryTarget } from '../../query/request/query-targets';
import { SETTINGS } from '../../tokens';
import { isPassword, isSharePass, keyedPassword, PASS_SECONDS, sharePass, shareOfToken } from '../share-tokens';

/** The dashboard that an address shows. */
export interface SharedDashboard {
  readonly website: Website;
  /** Undefined at the address of a website whose statistics are public. */
  readonly share: Share | undefined;
  readonly panels: readonly DashboardPanel[];
  readonly hasPassword: boolean;
}

interface LockedShare {
  readonly id: string;
  readonly passwordHash: string;
}

/** The cookie that shows that the password of the address was given. */
const COOKIE = 'ledgerline.share';

/** Dashboards at the addresses of shares, and of websites whose statistics are public, by their ids. */
@Injectable()
export class SharedDashboards {
  constructor(
    private readonly registry: Registry,
    private readonly lease: RegistryLease,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Without regard to its password. @throws Problem NOT_FOUND for none, also for one that was revoked or has expired; LogUnavailable */
  async find(token: string, now = Date.now()): Promise<SharedDashboard> {
    const id = shareOfToken(token, this.settings.keyPepper);
    const share = () => (id === undefined ? undefined : this.registry.find('shares', id));
    const found = await this.lease.whileHeld(
      () => (id === undefined ? this.publicWebsite(token) : dashboardOf(share(), this.registry, now)),
      () => id !== undefined && share() === undefined, // may be new
    );
    if (!found) throw notFound('Share');
    return found;
  }

  /**
   * Returns what may be asked at an address. @throws Problem NOT_FOUND, or FORBIDDEN while its password was not given
   */
  async targetOf(token: string, cookie: string | undefined): Promise<QueryTarget> {
    const found = await this.find(token);
    if (!this.isOpen(found, cookie)) throw forbidden();
    return this.targetIn(found);
  }

  targetIn({ website, share }: SharedDashboard): QueryTarget {
    const filters = share?.filters ?? [];
    return { ...websiteTarget(website, true), ...(filters.length > 0 ? { filters } : {}) };
  }

  isOpen({ share }: SharedDashboard, cookie: string | undefined, now = Date.now()): boolean {
    if (!share || share.passwordHash === null) return true;
    const passes = (cookie ?? '').split(/; */).filter((each) => each.startsWith(`${COOKIE}=`));
    const { id, passwordHash } = share;
    return passes.some((each) =>
      isSharePass(each.slice(COOKIE.length + 1), id, passwordHash, now, this.settings.keyPepper),
    );
  }

  /** The share that a password opens. @throws Problem NOT_FOUND, or VALIDATION_ERROR where none is needed */
  async lockedShare(token: string): Promise<LockedShare> {
    const { share } = await this.find(token);
    if (!share || share.passwordHash === null) throw invalid([{ field: 'password', message: 'None is needed.' }]);
    return { id: share.id, passwordHash: share.passwordHash };
  }

  /** The cookie for who has the password, for the pages of the address alone. @throws Problem VALIDATION_ERROR */
  async unlock(
    share: LockedShare,
    { token, password }: Readonly<Record<'token' | 'password', string>>,
  ): Promise<string> {
    const { keyPepper, publicApiUrl } = this.settings;
    if (!(await isPassword(keyedPassword(password, keyPepper), share.passwordHash)))
      throw invalid([{ field: 'password', message: 'Is not the password.' }]);
    const pass = sharePass(share.id, share.passwordHash, Math.floor(Date.now() / 1_000) + PASS_SECONDS, keyPepper);
    const secure = publicApiUrl.startsWith('https:') ? '; Secure' : '';
    return `${COOKIE}=${pass}; Path=/share/${token}; Max-Age=${PASS_SECONDS}; HttpOnly; SameSite=Strict${secure}`;
  }

  private publicWebsite(id: string): SharedDashboard | undefined {
    const website = this.registry.find('websites', id);
    return website?.isPublic ? { website, share: undefined, panels: DASHBOARD_PANELS, hasPassword: false } : undefined;
  }
}

function dashboardOf(share: Share | undefined, registry: Registry, now: number): SharedDashboard | undefined {
  const website = share && registry.find('websites', share.websiteId);
  const isOver = share?.expiresAt != null && Date.parse(share.expiresAt) <= now;
  return website && !isOver
    ? { website, share, panels: share.panels, hasPassword: share.passwordHash !== null }
    : undefined;
}
