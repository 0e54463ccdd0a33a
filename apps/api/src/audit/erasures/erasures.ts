import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { ErasedSubject, SubjectErased } from '@ledgerline/contracts/events/audit-log.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { isErasure, ruleKey, rulesOf } from '@ledgerline/domain/erasures/erasure-rules';
import { erasure } from '@ledgerline/domain/erasures/erasure.decider';
import { FILES_MS, readFilesCovered } from '@ledgerline/platform/database/file-rewrites';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import {
  type EventStore,
  type RecordedEvent,
  asDecided,
  decidedIn,
  erasureStream,
  occurredAt,
  readWholeStream,
} from '@ledgerline/platform/event-store/event-store';
import { readEpoch } from '@ledgerline/platform/intake-log/intake-log';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { ReadStores, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import type { CommandResult, StartedCommand } from '../../commands/command-context';
import type { CommandRunner } from '../../commands/command-runner';
import { notFound } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { assertMay } from '../../http/route';
import { People } from '../../identity/accounts/people';
import { KeptMoments } from '../../query/snapshot/kept-moments';
import { EVENT_STORE, POOL } from '../../tokens';
import { type ErasureDto, erasureDto } from './erasure.dto';

/** What a read store has of an erasure, and of its website the first day that is kept. */
interface StoreChecks {
  readonly rules: number;
  readonly isMore: boolean;
  readonly countsBefore: string | null;
}

/** What has to have carried an erasure out: the log of this epoch, read stores and snapshots. */
interface CurrentState {
  readonly epoch: string | undefined;
  readonly stores: ReadStores['all'];
}

type Recorded = SubjectErased & Pick<RecordedEvent, 'metadata' | 'recordedAt'>;
type Progress = Pick<PlainData<ErasureDto>, 'state' | 'checks' | 'files'>;

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
    private readonly moments: KeptMoments,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  /** Looked for in every organization of the person. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller): Promise<PlainData<ErasureDto>> {
    const organizations = caller.kind === 'user' && ERASURE.test(id) ? [...caller.roles.keys()] : [];
    const found = await Promise.all(organizations.map((organizationId) => this.receipt(organizationId, id)));
    const receipt = found.find((each) => each !== undefined);
    if (!receipt) throw notFound('Erasure');
    assertMay(caller, 'erasures:request', receipt, 'Erasure');
    return receipt;
  }

  async receipt(
    organizationId: string,
    id: string,
    state = this.currentState(),
  ): Promise<PlainData<ErasureDto> | undefined> {
    const event = await this.eventOf(organizationId, id);
    return event && erasureDto(event, event.data, await this.progressOf(event, state));
  }

  /** Returns the receipts of erasures that there are. */
  async receipts(organizationId: string, ids: readonly string[]): Promise<readonly PlainData<ErasureDto>[]> {
    const found: PlainData<ErasureDto>[] = [];
    const state = this.currentState();
    for (const id of ids) {
      const receipt = await this.receipt(organizationId, id, state);
      if (receipt) found.push(receipt);
    }
    return found;
  }

  /** Returns what an erasure recorded; undefined if there is none. */
  async subjectOf(organizationId: string, id: string): Promise<ErasedSubject | undefined> {
    return (await this.eventOf(organizationId, id))?.data.subject;
  }

  private async eventOf(organizationId: string, id: string) {
    const [event] = await this.store.readStream(erasureStream(organizationId, id), { limit: 1 });
    const decided = event && asDecided(event);
    return decided?.type === 'SubjectErased' ? decided : undefined;
  }

  /** As things are now: backups bring keys back, visits are erased, and accounts deleted, later. */
  private async progressOf(event: Recorded, state: () => Promise<CurrentState>): Promise<Progress> {
    const { organizationId, erasureId, subject, destroyedKeyIds } = event.data;
    if ('websiteId' in subject) {
      const hasKey = 'profile' in subject && (await this.profileKeys.exists(subject.websiteId, subject.profile));
      const { checks, doneAt } = await this.checksOf(organizationId, erasureId, subject.websiteId, await state());
      if (hasKey) return { state: 'incomplete', checks };
      if (doneAt === undefined) return { state: 'erasing', checks };
      const pools = [this.pool, ...this.stores.all.map(({ pool }) => pool)];
      return { state: 'completed', checks, files: await filesIn(pools, doneAt) };
    }
    if ((await this.keys.find(destroyedKeyIds)).size > 0) return { state: 'incomplete' };
    const files = await filesIn([this.pool], Date.parse(occurredAt(event)));
    const isKept = 'userId' in subject && (await this.people.find([subject.userId])).size > 0;
    return { state: isKept ? 'account_kept' : 'completed', files };
  }

  /** Returns what reads the state once, when a receipt first needs it. */
  private currentState(): () => Promise<CurrentState> {
    let state: Promise<CurrentState> | undefined;
    return () => (state ??= this.readState());
  }

  private async readState(): Promise<CurrentState> {
    const epoch = await readEpoch(this.pool);
    const moments = await this.moments.all();
    return { epoch, stores: [this.stores, ...moments.map((each) => each.stores)].flatMap(({ all }) => all) };
  }

  /** Done when every rule is carried out in each read store, snapshot and in the log, and nothing more was found. */
  private async checksOf(
    organizationId: string,
    erasureId: string,
    websiteId: string,
    { epoch, stores }: CurrentState,
  ) {
    const events = decidedIn(await readWholeStream(this.store, erasureStream(organizationId, erasureId)));
    const rules = new Set(events.flatMap((event) => (isErasure(event) ? rulesOf(event, 0).map(ruleKey) : []))).size;
    const rewrites = events.flatMap((event) => (event.type === 'HitsRewritten' ? [event] : []));
    const erased = sql`select count(*)::integer as rules,
        exists (select from erasure_findings where erasure_id = ${erasureId}) as "isMore",
        (select before::text from expirations where website_id = ${websiteId}) as "countsBefore"
      from erasure_rules where erasure_id = ${erasureId} and repaired_epoch is not null`;
    const found = await Promise.all(stores.map(({ pool }) => onReadStore(() => run<StoreChecks>(pool, erased))));
    const countsBefore = found.flatMap(([row]) => row?.countsBefore ?? []).at(0);
    const isRewritten = rewrites.some(({ data }) => data.epoch === epoch && (data.rules ?? 0) >= rules);
    const last = rewrites.at(-1);
    const checks = {
      rules,
      readStores: this.stores.all.length,
      events: rewrites.reduce((sum, { data }) => sum + data.hits, 0),
      payloads: rewrites.reduce((sum, { data }) => sum + data.payloads.length, 0),
      ...(countsBefore && { countsBefore }),
    };
    const isDone = isRewritten && found.every(([row]) => row && !row.isMore && row.rules >= rules);
    return { checks, doneAt: isDone && last ? Date.parse(occurredAt(last)) : undefined };
  }
}

/** Whether files of these databases have nothing that was erased until a moment, epoch ms. */
async function filesIn(pools: readonly Pool[], erasedAt: number): Promise<PlainData<ErasureDto>['files']> {
  const covered = await Promise.all(pools.map((pool) => onReadStore(() => readFilesCovered(pool))));
  return { by: new Date(erasedAt + FILES_MS).toISOString(), isDone: covered.every((until) => until > erasedAt) };
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
