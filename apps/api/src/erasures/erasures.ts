import type { ErasedSubject, SubjectErased } from '@ledgerline/contracts/events/audit-log.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { isErasure, ruleKey, rulesOf } from '@ledgerline/domain/erasures/erasure-rules';
import { erasure } from '@ledgerline/domain/erasures/erasure.decider';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import {
  type EventStore,
  asDecided,
  decidedIn,
  erasureStream,
  readWholeStream,
} from '@ledgerline/platform/event-store/event-store';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { ReadStores, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { Inject, Injectable } from '@nestjs/common';
import { People } from '../accounts/people';
import type { CommandResult, StartedCommand } from '../commands/command-context';
import type { CommandRunner } from '../commands/command-runner';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { assertMay } from '../http/route';
import { EVENT_STORE } from '../tokens';
import { type ErasureDto, erasureDto } from './erasure.dto';

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
    const event = await this.eventOf(organizationId, id);
    return event && erasureDto(event, event.data, await this.stateOf(event.data));
  }

  /** Of erasures that there are. */
  async receipts(organizationId: string, ids: readonly string[]): Promise<readonly Plain<ErasureDto>[]> {
    const found: Plain<ErasureDto>[] = [];
    for (const id of ids) {
      const receipt = await this.receipt(organizationId, id);
      if (receipt) found.push(receipt);
    }
    return found;
  }

  /** What an erasure recorded; undefined if there is none. */
  async subjectOf(organizationId: string, id: string): Promise<ErasedSubject | undefined> {
    return (await this.eventOf(organizationId, id))?.data.subject;
  }

  private async eventOf(organizationId: string, id: string) {
    const [event] = await this.store.readStream(erasureStream(organizationId, id), { limit: 1 });
    const decided = event && asDecided(event);
    return decided?.type === 'SubjectErased' ? decided : undefined;
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
    const decided = new Set(rules.map(ruleKey)).size;
    const erased = sql`select count(*)::integer as rules,
        exists (select from erasure_findings where erasure_id = ${erasureId}) as "isMore"
      from erasure_rules where erasure_id = ${erasureId} and repaired_epoch is not null`;
    const found = await Promise.all(
      this.stores.all.map(({ pool }) => onReadStore(() => run<{ rules: number; isMore: boolean }>(pool, erased))),
    );
    return found.some(([row]) => !row || row.isMore || row.rules < decided);
  }
}

/** Records an erasure; answers its id. @param prepare done before it, so that the receipt is never true too early */
export function recordErasure(
  runner: CommandRunner,
  erased: Omit<SubjectErased['data'], 'erasureId'>,
  started: StartedCommand,
  prepare?: () => Promise<void>,
): Promise<CommandResult<string>> {
  const { id: erasureId } = started;
  const command = { type: 'EraseSubject' as const, data: { ...erased, erasureId } };
  const stream = erasureStream(erased.organizationId, erasureId);
  return runner.run(
    { decider: erasure, stream, command, answer: () => erasureId, ...(prepare && { prepare }) },
    started,
  );
}
