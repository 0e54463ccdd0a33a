import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { type DeliveryOutcome, deliveryOutcome, pauseAfter } from '@ledgerline/domain/destinations/delivery-outcome';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { type Sql, emptySql, sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { WebhookAnswer } from '@ledgerline/platform/outbound/webhook';
import type { RegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { followDestinations, insertDeliveries } from './kept-deliveries';
import type { NewDelivery } from './messages';

const { destinations } = RECORD_TABLES;

/** How long a destination belongs to a process after each step, s: longer than a request may take. */
const CLAIM_S = 20;

/** A destination that this process has taken. */
export interface TakenDestination {
  readonly id: string;
  readonly organizationId: string;
  readonly details: DestinationDetails;
  readonly claim: string;
}

/** How far it is. */
export interface SendingPosition {
  readonly nextRevision: number;
  readonly hash: string | null;
  readonly batch: number;
  readonly headRevision: number;
  /** Of the message that is added next. */
  readonly nextNumber: number;
}

/** A message that waits. */
export interface WaitingDelivery {
  readonly id: string;
  readonly number: number;
  readonly body: string;
  /** Of a mail that has it, beside its text. */
  readonly html: string | null;
  readonly tries: number;
  /** Null = it is of the intake log. */
  readonly firstRevision: number | null;
  readonly lastRevision: number | null;
  readonly previousHash: string | null;
  readonly headRevision: number | null;
  /** How long ago a try of it failed first, ms; null = none has. */
  readonly failingForMs: number | null;
}

/** What a try has come to, and the new message that follows where it may be sent. */
export interface RecordedTry {
  readonly outcome: DeliveryOutcome;
  readonly next: WaitingDelivery | undefined;
}

/** The state of what is sent, which belongs to one process at a time: nothing counts that is recorded under a claim that has ended. */
export class DestinationSending {
  /** The registry that the destinations were last compared with. */
  private compared: { readonly layout: string; readonly cursor: Cursor } | undefined;

  constructor(private readonly pool: Pool) {}

  /** Follows the destinations that there are, and answers their organizations. */
  async organizations(tables: RegistryTables): Promise<readonly string[]> {
    const { layout, cursor } = tables;
    if (this.compared?.layout !== layout || this.compared.cursor !== cursor) {
      await followDestinations(this.pool, tables);
      this.compared = { layout, cursor };
    }
    const rows = await run<{ id: string }>(
      this.pool,
      sql`select distinct organization_id as id from destination_sending where state <> 'off'`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Takes destinations for which there may be something to send, at most so many: those whose time has come, and those
   * without anything that waits (their time is infinity) whose chain has grown. `heads` are the newest places of chains.
   */
  async take(
    { table }: RegistryTables,
    heads: ReadonlyMap<string, number>,
    max: number,
  ): Promise<readonly TakenDestination[]> {
    const claim = randomUUID();
    const rows = await run<Omit<TakenDestination, 'claim'> & Record<string, unknown>>(
      this.pool,
      sql`with ready as materialized (
          select s.destination_id from destination_sending s
          left join unnest(${[...heads.keys()]}::text[], ${[...heads.values()]}::bigint[]) head (organization, revision)
            on head.organization = s.organization_id
          where s.state <> 'off' and (s.next_at <= now() or s.next_at = 'infinity' and s.next_revision <= head.revision)
        )
        update destination_sending s set claim = ${claim}, claimed_until = ${CLAIMED_UNTIL}
        from (
          select s.destination_id, d.details from ready
          join destination_sending s using (destination_id)
          join ${table(destinations)} d on d.id = s.destination_id and (d.details->>'enabled')::boolean
            and coalesce(d.details->>'consent', 'given') = 'given'
          where s.state <> 'off' and coalesce(s.claimed_until <= now(), true) and (s.next_at <= now() or s.next_at = 'infinity')
          order by s.next_at limit ${max} for update of s skip locked
        ) due
        where s.destination_id = due.destination_id
        returning s.destination_id as id, s.organization_id as "organizationId", due.details`,
    );
    return rows.map((row) => ({ ...row, claim, details: { ...plainDestination, ...row.details } }));
  }

  /** Undefined where the destination is another process's by now. */
  async position(taken: TakenDestination): Promise<SendingPosition | undefined> {
    const [row] = await run<SendingPosition & Record<string, unknown>>(
      this.pool,
      sql`update destination_sending set claimed_until = ${CLAIMED_UNTIL} where ${ours(taken)}
        returning next_revision::float8 as "nextRevision", hash, batch, head_revision::float8 as "headRevision",
          next_number::float8 as "nextNumber"`,
    );
    return row;
  }

  /** The oldest message that waits, of those that are sent again or of the others. */
  waiting(taken: TakenDestination, isRepeated: boolean): Promise<WaitingDelivery | undefined> {
    return this.oldest(taken, sql`is_repeated = ${isRepeated}`);
  }

  /** The one that waits behind another, of those that are new. */
  after(taken: TakenDestination, { number }: WaitingDelivery): Promise<WaitingDelivery | undefined> {
    return this.oldest(taken, sql`not is_repeated and number > ${number}`);
  }

  private async oldest({ id }: TakenDestination, which: Sql): Promise<WaitingDelivery | undefined> {
    const failingForMs = sql`(select extract(epoch from now() - failing_since) * 1000 from destination_sending where destination_id = ${id})`;
    const [row] = await run<WaitingDelivery & Record<string, unknown>>(this.pool, oldestOf(id, which, failingForMs));
    return row;
  }

  /** Keeps messages, and goes on to the place after what they were read from; together, so that none is left out or made twice. */
  async keep(
    taken: TakenDestination,
    made: readonly NewDelivery[],
    { nextRevision, hash }: Pick<SendingPosition, 'nextRevision' | 'hash'>,
  ): Promise<void> {
    await transaction(this.pool, async (client) => {
      const [row] = await run(
        client,
        sql`update destination_sending set next_revision = ${nextRevision}, hash = ${hash} where ${ours(taken)} returning 1`,
      );
      if (!row) return;
      await insertDeliveries(client, taken.id, made);
    });
  }

  /**
   * Records what a try has come to, by one statement: a message costs no more than that. Undefined = the destination is
   * another process's by now, and the answer does not count.
   */
  async record(
    taken: TakenDestination,
    delivery: WaitingDelivery,
    answer: WebhookAnswer,
    successorPasses: boolean,
  ): Promise<RecordedTry | undefined> {
    const { id } = taken;
    const { kind } = taken.details;
    const { status, text, isGone } = answer;
    const { failingForMs } = delivery;
    const tries = delivery.tries + 1;
    const entries = (delivery.lastRevision ?? 0) - (delivery.firstRevision ?? 0) + 1;
    const outcome = deliveryOutcome({ kind, status, isGone, tries, entries, successorPasses, failingForMs });
    const pauseMs = pauseAfter(tries, answer.retryAfterMs, Math.random());
    const isIt = sql`d.destination_id = ${id} and d.id = ${delivery.id}`;
    const recorded =
      outcome === 'split'
        ? sql`delete from deliveries d using ours where ${isIt}`
        : sql`update deliveries d set state = ${DELIVERY_STATES[outcome]}, tries = ${tries}, status = ${status},
            answer = ${text}, changed_at = now() ${outcome === 'sent' && kind === 'audit' ? sql`, body = null` : emptySql}
            from ours where ${isIt}`;
    const [row] = await run<Partial<WaitingDelivery>>(
      this.pool,
      // an answer that is lost with the server is asked for again, under the same id
      sql`with ours as (
          update destination_sending set ${STATES[outcome]({ delivery, pauseMs, entries })},
            status = ${status}, answer = ${text}, answered_at = now() where ${ours(taken)}
          returning set_config('synchronous_commit', 'off', true)
        ), recorded as (${recorded})
        select next.* from ours left join lateral (${oldestOf(id, sql`not is_repeated and id <> ${delivery.id}`, sql`null`)}) next on true`,
    );
    if (!row) return undefined;
    const isFree = outcome === 'sent' || outcome === 'set_aside';
    return { outcome, next: isFree && isWaiting(row) ? row : undefined };
  }

  /** There is nothing more to send, unless messages were added since the position was read. */
  async rest(taken: TakenDestination, { nextNumber }: SendingPosition): Promise<void> {
    await run(
      this.pool,
      sql`update destination_sending set claim = null, claimed_until = null,
        next_at = case when next_number = ${nextNumber} then 'infinity' else now() end where ${ours(taken)}`,
    );
  }

  /** It is taken again after the pause. */
  async giveBack(taken: TakenDestination, pauseMs = 0): Promise<void> {
    await run(
      this.pool,
      sql`update destination_sending set claim = null, claimed_until = null, next_at = ${after(pauseMs)} where ${ours(taken)}`,
    );
  }

  /** Nothing can be sent, for a reason that no receiver has given. */
  async holdBack(taken: TakenDestination, reason: string, pauseMs: number): Promise<void> {
    await run(
      this.pool,
      sql`update destination_sending set claim = null, claimed_until = null, state = 'held_back', status = null,
        answer = ${reason}, answered_at = now(), failing_since = coalesce(failing_since, now()), next_at = ${after(pauseMs)}
        where ${ours(taken)}`,
    );
  }
}

/** The first of the messages that wait. */
const oldestOf = (id: string, which: Sql, failingForMs: Sql): Sql => sql`
  select id, number::float8 as number, body, html, tries, first_revision::float8 as "firstRevision", last_revision::float8 as "lastRevision",
    previous_hash as "previousHash", head_revision::float8 as "headRevision", ${failingForMs}::float8 as "failingForMs"
  from deliveries where destination_id = ${id} and state = 'waiting' and ${which}
  order by number limit 1`;

const isWaiting = (row: Partial<WaitingDelivery>): row is WaitingDelivery => typeof row.id === 'string';

const CLAIMED_UNTIL = sql`now() + make_interval(secs => ${CLAIM_S})`;
/** The row of a destination that still belongs to this claim. */
export const ours = ({ id, claim }: Pick<TakenDestination, 'id' | 'claim'>): Sql =>
  sql`destination_id = ${id} and claim = ${claim} and claimed_until > now()`;
const after = (ms: number): Sql => sql`now() + make_interval(secs => ${ms / 1_000})`;

interface Tried {
  readonly delivery: WaitingDelivery;
  readonly pauseMs: number;
  readonly entries: number;
}

const FREE = sql`claim = null, claimed_until = null`;
const MORE_ENTRIES = 10;
const MAX_ENTRIES = 500;

/** What each outcome makes of a destination. */
const STATES: { readonly [Outcome in DeliveryOutcome]: (tried: Tried) => Sql } = {
  sent: ({
    delivery: { headRevision },
  }) => sql`state = 'ok', tries = 0, failing_since = null, claimed_until = ${CLAIMED_UNTIL},
    batch = least(batch + ${MORE_ENTRIES}, ${MAX_ENTRIES}), head_revision = greatest(head_revision, ${headRevision}::bigint)`,
  set_aside: () => sql`state = 'ok', tries = 0, failing_since = null, claimed_until = ${CLAIMED_UNTIL}`,
  held_back: ({
    pauseMs,
  }) => sql`state = 'held_back', tries = tries + 1, failing_since = coalesce(failing_since, now()),
    next_at = ${after(pauseMs)}, ${FREE}`,
  off: () => sql`state = 'off', tries = tries + 1, failing_since = coalesce(failing_since, now()), ${FREE}`,
  split: ({ delivery: { firstRevision, previousHash }, entries }) => sql`next_revision = ${firstRevision},
    hash = ${previousHash}, batch = ${Math.ceil(entries / 2)}, claimed_until = ${CLAIMED_UNTIL}`,
};

const DELIVERY_STATES = {
  sent: 'sent',
  set_aside: 'set_aside',
  held_back: 'waiting',
  off: 'waiting',
} as const satisfies Record<Exclude<DeliveryOutcome, 'split'>, string>;
