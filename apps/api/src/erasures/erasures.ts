import { Inject, Injectable } from '@nestjs/common';
import type { SubjectErased } from '@ledgerline/contracts/events/erasure.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { asDecided } from '@ledgerline/platform/event-store/decided';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { erasureStream } from '@ledgerline/platform/event-store/streams';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { People } from '../accounts/people';
import { assertMay } from '../auth/assert-may';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import { erasureDto, type ErasureDto } from './erasure.dto';

const ERASURE = /^era_[0-9A-Z]{26}$/;

/** Receipts of erasures: each is the event of its own stream. */
@Injectable()
export class Erasures {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly keys: SubjectKeys,
    private readonly profileKeys: ProfileKeys,
    private readonly people: People,
  ) {}

  /** Looked for in every organization of the person. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller): Promise<Plain<ErasureDto>> {
    const organizations = caller.kind === 'user' && ERASURE.test(id) ? [...caller.roles.keys()] : [];
    const found = await Promise.all(organizations.map((organizationId) => this.receipt(organizationId, id)));
    const receipt = found.find((each) => each !== undefined);
    if (!receipt) throw notFound('Erasure');
    assertMay(caller, 'erasures:request', receipt, 'Erasure');
    return receipt;
  }

  async receipt(organizationId: string, id: string): Promise<Plain<ErasureDto> | undefined> {
    const [event] = await this.store.readStream(erasureStream(organizationId, id), { limit: 1 });
    if (!event) return undefined;
    const decided = asDecided(event);
    if (decided?.type !== 'SubjectErased') return undefined;
    return erasureDto(event, decided.data, await this.stateOf(decided.data));
  }

  /** As things are now: backups bring keys back, and accounts are deleted later. */
  private async stateOf({ subject, destroyedKeyIds }: SubjectErased['data']): Promise<ErasureDto['state']> {
    if ('profile' in subject)
      return (await this.profileKeys.exists(subject.websiteId, subject.profile)) ? 'incomplete' : 'completed';
    if ((await this.keys.find(destroyedKeyIds)).size > 0) return 'incomplete';
    const isKept = 'userId' in subject && (await this.people.find([subject.userId])).size > 0;
    return isKept ? 'account_kept' : 'completed';
  }
}
