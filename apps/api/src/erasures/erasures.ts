import { Inject, Injectable } from '@nestjs/common';
import type {
  ErasedInvitation,
  ErasedPerson,
  ErasedProfile,
  ErasedSubject,
  ErasureEvent,
  SubjectErased,
} from '@ledgerline/contracts/events/audit-log.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import {
  type EventStore,
  asDecided,
  decidedIn,
  erasureStream,
  readWholeStream,
} from '@ledgerline/platform/event-store/event-store';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ReadStores, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { Registry } from '@ledgerline/domain/registry/registry';
import { People } from '../accounts/people';
import { assertMay } from '../http/route';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import { AccountDeletion, Departures } from '../account-deletion/account-deletion';
import {
  type CommandContext,
  type CommandResult,
  IdempotencyStore,
  type StartedCommand,
  newId,
} from '../commands/command-context';
import { type ErasureDto, type WantedProfile, type WantedSubject, erasureDto } from './erasure.dto';
import { PersonalKeys } from './personal-keys';
import { rulesOf } from '@ledgerline/domain/erasures/erasure-rules';
import { erasure } from '@ledgerline/domain/erasures/erasure.decider';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../commands/command-runner';

const ERASURE = /^era_[0-9A-Z]{26}$/;

/** Receipts of erasures: each is the event of its own stream. */
@Injectable()
export class Erasures {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly keys: SubjectKeys,
    private readonly profileKeys: ProfileKeys,
    private readonly people: People,
    private readonly stores: ReadStores,
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

  /** As things are now: backups bring keys back, visits are erased, and accounts deleted, later. */
  private async stateOf({
    organizationId,
    erasureId,
    subject,
    destroyedKeyIds,
  }: SubjectErased['data']): Promise<ErasureDto['state']> {
    if ('websiteId' in subject) {
      const hasKey = 'profile' in subject && (await this.profileKeys.exists(subject.websiteId, subject.profile));
      if (hasKey) return 'incomplete';
      return (await this.hasVisits(organizationId, erasureId)) ? 'erasing' : 'completed';
    }
    if ((await this.keys.find(destroyedKeyIds)).size > 0) return 'incomplete';
    const isKept = 'userId' in subject && (await this.people.find([subject.userId])).size > 0;
    return isKept ? 'account_kept' : 'completed';
  }

  /** Whether the tables of a read store may have them: a rule is not carried out, or what was found of them is no rule yet. */
  private async hasVisits(organizationId: string, erasureId: string): Promise<boolean> {
    const events = decidedIn(await readWholeStream(this.store, erasureStream(organizationId, erasureId)));
    const rules = events.flatMap((event) => (isErasure(event) ? rulesOf(event, 0) : []));
    const decided = new Set(rules.map(({ kind, subject, id }) => `${kind} ${subject} ${id}`)).size;
    const erased = sql`select count(*)::integer as rules,
        exists (select from erasure_findings where erasure_id = ${erasureId}) as "isMore"
      from erasure_rules where erasure_id = ${erasureId} and repaired_epoch is not null`;
    const found = await Promise.all(
      this.stores.all.map(({ pool }) => onReadStore(() => run<{ rules: number; isMore: boolean }>(pool, erased))),
    );
    return found.some(([row]) => !row || row.isMore || row.rules < decided);
  }
}

const isErasure = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: ErasureEvent['type'] }> =>
  event.type === 'SubjectErased' || event.type === 'ErasureExtended';

/** People of an organization, members and those who were invited. */
@Injectable()
export class PersonErasure {
  constructor(
    private readonly keys: PersonalKeys,
    private readonly departures: Departures,
    private readonly accounts: AccountDeletion,
  ) {}

  /** The ids of all keys that a person ever had. @throws Problem NOT_FOUND for whom the organization does not know */
  keysOf(organizationId: string, subject: ErasedPerson | ErasedInvitation): Promise<readonly string[]> {
    return this.keys.of(organizationId, subject);
  }

  /** An invitation without its address cannot be accepted any more. May be repeated. */
  async erase(
    organizationId: string,
    subject: ErasedPerson | ErasedInvitation,
    keyIds: readonly string[],
    by: CommandContext,
  ): Promise<void> {
    if ('userId' in subject) await this.remove(organizationId, subject.userId, by);
    else await this.removeInvitation(organizationId, subject.invitationId);
    await this.keys.destroy(organizationId, keyIds);
  }

  /** While the key of its address exists. */
  private async removeInvitation(organizationId: string, invitationId: string): Promise<void> {
    await this.accounts.deleteInvitation(invitationId, () => this.keys.addressOf(organizationId, invitationId));
  }

  /** From the organization; deletes the account unless it is a member of another one. */
  private async remove(organizationId: string, userId: string, by: CommandContext): Promise<void> {
    await this.departures.remove(organizationId, userId, by);
    const others = await this.departures.organizationsOf(userId);
    if (others.length === 0) await this.accounts.delete(userId);
    else await this.accounts.deleteMailsAndInvitations(userId, organizationId);
  }
}

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
    if (this.registry.find('websites', websiteId)?.organizationId !== organizationId) throw notFound('Website');
    const recorded = await this.erasures.receipt(organizationId, erasureId);
    const profile = recorded?.subject.profile ?? (await this.keys.subjectOf(websiteId, profileId));
    if (profile === undefined) throw notFound('Profile');
    return { websiteId, profile };
  }

  destroy({ websiteId, profile }: ErasedProfile): Promise<void> {
    return this.keys.destroy(websiteId, profile);
  }
}

/** Answers the id of the erasure. */
export class RequestErasure extends Command<CommandResult<string>> {
  constructor(
    readonly wanted: { readonly organizationId: string; readonly subject: WantedSubject },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RequestErasure)
export class RequestErasureHandler implements ICommandHandler<RequestErasure> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly persons: PersonErasure,
    private readonly profiles: ProfileErasure,
  ) {}

  async execute({ wanted, context }: RequestErasure): Promise<CommandResult<string>> {
    const { organizationId, subject } = wanted;
    assertMay(context.caller, 'erasures:request', { organizationId });
    const by = 'userId' in subject && isOf(context, subject) ? unnamed(context) : context;
    const started = await this.idempotency.start(by, 'EraseSubject', wanted, newId('era'));
    return 'profileId' in subject
      ? this.eraseProfile(organizationId, subject, started)
      : this.erasePerson(organizationId, subject, started);
  }

  /** The person is erased first, so that the receipt is never true too early. */
  private async erasePerson(organizationId: string, subject: Person, started: StartedCommand) {
    const keyIds = await this.persons.keysOf(organizationId, subject);
    const erase = () => this.persons.erase(organizationId, subject, keyIds, started);
    return this.record(organizationId, subject, keyIds, started, erase);
  }

  /** A destroyed key of a profile leaves nothing to find, so it is recorded first; until it is destroyed the receipt is `incomplete`. The projector erases the visits. */
  private async eraseProfile(organizationId: string, wanted: WantedProfile, started: StartedCommand) {
    const subject = await this.profiles.find(organizationId, wanted, started.id);
    const written = await this.record(organizationId, subject, [subject.profile], started);
    await this.profiles.destroy(subject);
    return written;
  }

  private record(
    organizationId: string,
    subject: ErasedSubject,
    destroyedKeyIds: readonly string[],
    started: StartedCommand,
    prepare?: () => Promise<void>,
  ): Promise<CommandResult<string>> {
    const { id: erasureId } = started;
    const command = {
      type: 'EraseSubject' as const,
      data: { organizationId, erasureId, subject, destroyedKeyIds },
    };
    const stream = erasureStream(organizationId, erasureId);
    return this.runner.run(
      { decider: erasure, stream, command, answer: () => erasureId, ...(prepare && { prepare }) },
      started,
    );
  }
}

type Person = ErasedPerson | ErasedInvitation;

const isOf = ({ caller }: CommandContext, { userId }: ErasedPerson): boolean =>
  caller.kind === 'user' && caller.id === userId;

/** Who erases themselves leaves no personal data in the events of that. */
const unnamed = ({ caller, ...context }: CommandContext): CommandContext => ({
  ...context,
  caller: caller.kind === 'user' ? { kind: caller.kind, id: caller.id, roles: caller.roles } : caller,
  client: undefined,
});
