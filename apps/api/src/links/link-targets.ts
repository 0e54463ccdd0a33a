import { leadsBack, type Addresses } from '@ledgerline/domain/links/link-chain';
import type { Settings } from '@ledgerline/platform/config/settings';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { Inject, Injectable } from '@nestjs/common';
import { invalid } from '../http/problems';
import { SETTINGS } from '../tokens';

/** Where links may lead. */
@Injectable()
export class LinkTargets {
  constructor(
    private readonly links: LinkLookup,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicTrackUrl'>,
  ) {}

  /**
   * Refuses a link that leads back to itself. Two that are made at the same time may lead to each other; those who follow
   * them are then shown a page. @throws Problem VALIDATION_ERROR · LogUnavailable
   */
  async assertEnd(link: Addresses): Promise<void> {
    const find = async (slug: string) =>
      this.links.cached(slug) ?? (await this.links.inReadModels(slug)) ?? (await this.links.inStore(slug));
    if (!(await leadsBack(link, this.settings.publicTrackUrl, find))) return;
    const message = 'Must not lead back to this link, also not over other short links.';
    throw invalid([{ field: 'targetUrl', message }]);
  }
}
