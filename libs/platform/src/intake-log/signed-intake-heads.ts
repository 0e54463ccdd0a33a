import type { JsonObject } from '@ledgerline/contracts/json';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore, Hash, RecordedEvent } from '../event-store/event-store';
import { LogTampered } from '../log/log-reader';
import type { Signed } from '../event-store/signed-head';
import { SIGNED_HEADS_STREAM } from '../event-store/streams';
import { INTAKE_LOG } from './segment-chain';

/** Where a partition ended. */
export type IntakeHead = {
  readonly partition: number;
  /** Of the next event. */
  readonly offset: number;
  /** Of the newest segment. */
  readonly chain: Hash;
};

/** The ends of all partitions that are not empty at one time. */
export type IntakeHeads = {
  /** Of the intake log. */
  readonly epoch: string;
  readonly heads: readonly IntakeHead[];
  /** When an operator had the heads signed without regard to the ones before (ISO 8601 UTC); kept by those that follow. */
  readonly restartedAt?: string;
};

/** Kept in the event store, and perhaps elsewhere, they prove the intake log up to them. */
export type SignedIntakeHeads = Signed<IntakeHeads>;

export const SIGNED_HEADS_TYPE = 'IntakeHeadsSigned';

/** The newest heads that were stored. @throws LogTampered where their event holds something else */
export async function readSignedHeads(store: Pick<EventStore, 'readStream'>): Promise<StoredHeads | undefined> {
  const newest = await readNewestEvent(store);
  if (!newest) return undefined;
  const { data: signed, revision, id } = newest;
  if (isSignedHeads(signed)) return { signed, revision };
  throw new LogTampered(
    `${INTAKE_LOG} has no readable signed heads: event ${id} of ${SIGNED_HEADS_STREAM} holds none.`,
  );
}

interface StoredHeads {
  readonly signed: SignedIntakeHeads;
  /** Of their event. */
  readonly revision: number;
}

export async function readNewestEvent(store: Pick<EventStore, 'readStream'>): Promise<RecordedEvent | undefined> {
  return (await store.readStream(SIGNED_HEADS_STREAM, { direction: 'backward', limit: 1 }))[0];
}

export function isSignedHeads(data: JsonObject): data is SignedIntakeHeads {
  const { epoch, heads, signedAt, keyId, signature } = data;
  const texts = [epoch, signedAt, keyId, signature];
  return texts.every((text) => typeof text === 'string') && Array.isArray(heads) && heads.every(isHead);
}

function isHead(head: unknown): boolean {
  const { partition, offset, chain } = (head ?? {}) as Partial<Record<keyof IntakeHead, unknown>>;
  return Number.isSafeInteger(partition) && Number.isSafeInteger(offset) && /^[0-9a-f]{64}$/.test(String(chain));
}

export async function readIntakeHeads(database: Queryable): Promise<IntakeHeads> {
  const [log] = await run<IntakeHeads>(
    database,
    sql`
      select epoch, coalesce((
        select json_agg(json_build_object('partition', partition, 'offset', next_offset, 'chain', encode(chain, 'hex'))
          order by partition)
        from intake_heads where next_offset > 0
      ), '[]') as heads
      from intake_log`,
  );
  return log ?? { epoch: '', heads: [] };
}

/** Those of these heads at which no segment with that chain hash ends. */
export async function findBrokenHeads(
  database: Queryable,
  heads: readonly IntakeHead[],
): Promise<readonly IntakeHead[]> {
  const columns = [
    heads.map((head) => head.partition),
    heads.map((head) => head.offset),
    heads.map((head) => head.chain),
  ];
  const found = await run<{ n: number }>(
    database,
    sql`
      select n::integer - 1 as n
      from unnest(${columns[0]}::integer[], ${columns[1]}::bigint[], ${columns[2]}::text[])
        with ordinality as head (partition, next_offset, chain, n)
      where not exists (
        select from (
          select * from intake_segments s
          where s.partition = head.partition and first_offset < head.next_offset order by first_offset desc limit 1
        ) last
        where last.first_offset + last.count = head.next_offset and last.chain = decode(head.chain, 'hex')
      )
      order by n`,
  );
  return found.flatMap(({ n }) => heads[n] ?? []);
}
