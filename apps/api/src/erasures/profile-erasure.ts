import { Injectable } from '@nestjs/common';
import type { ErasedProfile } from '@ledgerline/contracts/events/erasure.events';
import { Registry } from '@ledgerline/domain/registry/registry';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { notFound } from '../http/problems';
import type { WantedProfile } from './erasure.dto';
import { Erasures } from './erasures';

/** Profiles of the visitors of an organization's websites, and the keys that make them readable. */
@Injectable()
export class ProfileErasure {
  constructor(
    private readonly erasures: Erasures,
    private readonly keys: ProfileKeys,
    private readonly registry: Registry,
  ) {}

  /** A repeated command means the profile that it recorded, whose key may be gone. @throws Problem NOT_FOUND */
  async find(organizationId: string, wanted: WantedProfile, erasureId: string): Promise<ErasedProfile> {
    const { websiteId, profileId } = wanted;
    if (this.registry.website(websiteId)?.organizationId !== organizationId) throw notFound('Website');
    const recorded = await this.erasures.receipt(organizationId, erasureId);
    const profile = recorded?.subject.profile ?? (await this.keys.subjectOf(websiteId, profileId));
    if (profile === undefined) throw notFound('Profile');
    return { websiteId, profile };
  }

  destroy({ websiteId, profile }: ErasedProfile): Promise<void> {
    return this.keys.destroy(websiteId, profile);
  }
}
