import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { ErasedProfile, ErasedVisitor } from '@ledgerline/contracts/events/audit-log.events';
import { Registry } from '@ledgerline/domain/registry/registry';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { findVisitorIds } from '@ledgerline/platform/salts/find-visitor-ids';
import type { CommandResult, StartedCommand } from '../../commands/command-context';
import { CommandRunner } from '../../commands/command-runner';
import { notFound } from '../../http/problems';
import { POOL } from '../../tokens';
import type { WantedVisitor } from './erasure.dto';
import { Erasures, recordErasure } from './erasures';

/** Visitors of an organization's websites, and the keys that make their profiles readable. */
@Injectable()
export class VisitorErasure {
  constructor(
    private readonly erasures: Erasures,
    private readonly runner: CommandRunner,
    private readonly keys: ProfileKeys,
    private readonly registry: Registry,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  /** A repeated command means whom it recorded, whose key may be gone. @throws Problem NOT_FOUND */
  async find(
    organizationId: string,
    wanted: WantedVisitor,
    erasureId?: string,
  ): Promise<ErasedProfile | ErasedVisitor> {
    const { websiteId, by, id } = wanted;
    const website = this.registry.find('websites', websiteId);
    if (website?.organizationId !== organizationId) throw notFound('Website');
    const recorded = erasureId && (await this.erasures.subjectOf(organizationId, erasureId));
    if (recorded && 'websiteId' in recorded) return recorded;
    if (by === 'visitorId') return { websiteId, visitors: [id] };
    if (by === 'anonymousId')
      return { websiteId, ...(await findVisitorIds(this.pool, { websiteId, identity: website.visitorIdentity }, id)) };
    const profile = await this.keys.subjectOf(websiteId, id);
    if (profile === undefined) throw notFound('Profile');
    return { websiteId, profile };
  }

  /**
   * A destroyed key of a profile leaves nothing to find, so the erasure is recorded first; until the key is destroyed the
   * receipt is `incomplete`. The projector erases the visits.
   */
  async erase(
    organizationId: string,
    subject: ErasedProfile | ErasedVisitor,
    started: StartedCommand,
  ): Promise<CommandResult<string>> {
    const destroyedKeyIds = 'profile' in subject ? [subject.profile] : [];
    const written = await recordErasure(this.runner, { organizationId, subject, destroyedKeyIds }, started);
    if ('profile' in subject) await this.keys.destroy(subject.websiteId, subject.profile);
    return written;
  }
}
