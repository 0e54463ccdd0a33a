import { Inject, Injectable } from '@nestjs/common';
import type { ErasedProfile } from '@ledgerline/contracts/events/erasure.events';
import { Registry } from '@ledgerline/domain/registry/registry';
import { asDecided, type EventStore } from '@ledgerline/platform/event-store/event-store';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { notFound } from '../http/problems';
import { EVENT_STORE } from '../tokens';
import type { WantedProfile } from './erasure.dto';
import { streamOf } from './erasures';

/** Profiles of the visitors of an organization's websites, and the keys that make them readable. */
@Injectable()
export class ProfileErasure {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly keys: ProfileKeys,
    private readonly registry: Registry,
  ) {}

  /** A repeated command means the profile that it recorded, whose key may be gone. @throws Problem NOT_FOUND */
  async find(organizationId: string, wanted: WantedProfile, erasureId: string): Promise<ErasedProfile> {
    const { websiteId, profileId } = wanted;
    if (this.registry.website(websiteId)?.organizationId !== organizationId) throw notFound('Website');
    const profile =
      (await this.recorded(organizationId, erasureId)) ?? (await this.keys.subjectOf(websiteId, profileId));
    if (profile === undefined) throw notFound('Profile');
    return { websiteId, profile };
  }

  destroy({ websiteId, profile }: ErasedProfile): Promise<void> {
    return this.keys.destroy(websiteId, profile);
  }

  private async recorded(organizationId: string, erasureId: string): Promise<string | undefined> {
    const [event] = await this.store.readStream(streamOf(organizationId, erasureId), { limit: 1 });
    const erased = event && asDecided(event);
    return erased?.type === 'SubjectErased' && 'profile' in erased.data.subject
      ? erased.data.subject.profile
      : undefined;
  }
}
