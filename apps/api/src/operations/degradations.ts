import { readCopying } from '@ledgerline/kafka/copying';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { SendingState } from '@ledgerline/platform/deliveries/sender-state';
import type { FaultRow } from '@ledgerline/platform/event-store/verify-chain';
import type { OverdueMonitors } from '@ledgerline/platform/monitors/monitor-states';
import type { LiveCheckpoint, Reconciliation } from '@ledgerline/platform/read-stores/projection-states';

export const DEGRADATIONS = [
  'parked',
  'unreconciled',
  'process',
  'store',
  'lag',
  'monitors',
  'deliveries',
  'sealing',
  'unknown',
] as const;

/** Something that an operator has to see to, while everything is answered. */
export interface Degradation {
  readonly kind: (typeof DEGRADATIONS)[number];
  /** The subject: a group of projections, a program, or a store. */
  readonly group: string;
  /** The place of its read store; absent for the registry. */
  readonly store?: number;
  /** One sentence, without data of events. */
  readonly reason: string;
  readonly since?: string;
}

type Row = Pick<LiveCheckpoint, 'group' | 'parked' | 'parkedSince' | 'parkedBeside' | 'parkedBesideSince'> & {
  readonly store?: number;
};

/** One for each group and store with parked events, and one with those that an upgrade waits for. */
export const parkedDegradations = (rows: readonly Row[]): Degradation[] => [
  ...parkedIn(rows, ({ parked, parkedSince }) => [parked, parkedSince], 'parked'),
  ...parkedIn(
    rows,
    ({ parkedBeside, parkedBesideSince }) => [parkedBeside, parkedBesideSince],
    'parked in tables that an upgrade fills, which do not answer before that is settled',
  ),
];

function parkedIn(
  rows: readonly Row[],
  read: (row: Row) => readonly [events: number, since: Date | null],
  where: string,
): Degradation[] {
  const keyOf = ({ group, store }: Row) => `${group} ${store ?? 0}`;
  const parked = rows.filter((row) => read(row)[0] > 0);
  return [...new Set(parked.map(keyOf))].sort().flatMap((key): Degradation[] => {
    const own = parked.filter((row) => keyOf(row) === key);
    const [first] = own;
    if (!first) return [];
    const events = own.reduce((sum, row) => sum + read(row)[0], 0);
    const since = own.flatMap((row) => read(row)[1]?.toISOString() ?? []).sort()[0];
    return [
      {
        kind: 'parked',
        group: first.group,
        ...(first.store === undefined ? {} : { store: first.store }),
        reason: `${events} ${events === 1 ? 'event is' : 'events are'} ${where}: retry or accept them (npm run projections -- parked list).`,
        ...(since === undefined ? {} : { since }),
      },
    ];
  });
}

/** One for each group and store with tables that differ from the log. */
export function unreconciledDegradations(rows: readonly Reconciliation[], store?: number): Degradation[] {
  const differing = rows.filter(({ findings }) => findings > 0);
  return [...new Set(differing.map(({ group }) => group))].sort().flatMap((group): Degradation[] => {
    const own = differing.filter((row) => row.group === group);
    const findings = own.reduce((sum, row) => sum + row.findings, 0);
    const [first] = own.flatMap(({ example }) => example ?? []);
    if (!first) return [];
    const more = findings > 1 ? `, and ${findings - 1} more` : '';
    const reason = `${first.table} differs from the log for ${first.subject} on ${first.day}${more}: npm run projections -- reconcile --repair.`;
    const place = store === undefined ? {} : { store };
    return [{ kind: 'unreconciled', group, ...place, reason, since: new Date(first.since).toISOString() }];
  });
}

/** While everything runs, events wait for less than a second. */
const LATE_MS = 8_000;

interface Behind {
  readonly group: string;
  readonly store?: number;
  readonly status: string;
  readonly lagMs: number;
}

/** Returns degradations of projections that go on, but far behind their log, and of hits that wait in Kafka. */
export function lagDegradations(projections: readonly Behind[], copier?: CopierReport): Degradation[] {
  const behind = projections.filter(({ status, lagMs }) => status !== 'stopped' && lagMs > LATE_MS);
  const waitingMs = Math.max(0, ...(copier?.partitions ?? []).map(({ lagMs }) => lagMs));
  return [
    ...behind.map(({ group, store, lagMs }): Degradation => {
      const reason = `The oldest event that answers do not include has been waiting for ${formatSeconds(lagMs)}.`;
      return { kind: 'lag', group, ...(store === undefined ? {} : { store }), reason };
    }),
    ...(copier?.status === 'ok' && waitingMs > LATE_MS
      ? [{ kind: 'lag', group: 'copier', reason: waitingReason(waitingMs) } as const]
      : []),
  ];
}

const waitingReason = (ms: number) => `It is unknown whether hits wait in Kafka, or they do, for ${formatSeconds(ms)}.`;

export function monitorDegradations({ monitors, since }: OverdueMonitors): Degradation[] {
  if (since === null) return [];
  const subject = monitors === 1 ? 'A monitor is' : `${monitors} monitors are`;
  const reason = `${subject} overdue: no projector has made the check that was due at ${since.toISOString()}.`;
  return [{ kind: 'monitors', group: 'monitors', reason, since: since.toISOString() }];
}

/** A sender looks for messages every second. */
const STANDS_STILL_MS = 60_000;

/** The trouble of single destinations is theirs. */
export function deliveryDegradations({ destinations, isCopy, standsStillMs }: SendingState): Degradation[] {
  if (destinations === 0) return [];
  const of = { kind: 'deliveries', group: 'deliveries' } as const;
  if (isCopy)
    return [{ ...of, reason: 'This looks like a copy, so that nothing is sent: npm run deliveries -- resume.' }];
  if (standsStillMs <= STANDS_STILL_MS) return [];
  return [
    { ...of, reason: `No projector has looked for messages to destinations for ${formatSeconds(standsStillMs)}.` },
  ];
}

/** The oldest fault; the report lists all. */
export function sealingDegradations(faults: readonly FaultRow[]): Degradation[] {
  const [first] = faults;
  if (!first) return [];
  const others = faults.length > 1 ? ` ${faults.length - 1} more: see sealing.` : '';
  const subject = first.organization === '' ? '' : `${first.organization}: `;
  return [{ kind: 'sealing', group: 'sealing', reason: `${subject}${first.reason}${others}`, since: first.since }];
}

/** Sealing takes a second, and says every few seconds how far it is, ms. */
const UNSEALED_MS = 30_000;

export function sealingLagDegradations(lagMs: number | undefined): Degradation[] {
  if (lagMs === undefined || lagMs <= UNSEALED_MS) return [];
  const reason = `The oldest event that sealing has not come to has been waiting for ${formatSeconds(lagMs)}.`;
  return [{ kind: 'sealing', group: 'sealing', reason }];
}

/** Returns the degradations of the event store. */
export const warningDegradations = (reasons: readonly string[]): Degradation[] =>
  reasons.map((reason) => ({ kind: 'store', group: 'event_store', reason }));

export const formatSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** The report of what is copied from Kafka into the intake log. */
export interface CopierReport {
  readonly topic: string;
  readonly status: 'ok' | 'stopped';
  /** Why it is stopped, or what was lost. */
  readonly reason?: string;
  readonly partitions: readonly PartitionReport[];
  /** Messages that Kafka dropped before they were copied, since the topic was created. */
  readonly lost: number;
  /** Messages that are no hits. */
  readonly refused: number;
}

interface PartitionReport {
  readonly partition: number;
  readonly status: 'ok' | 'stopped';
  /** The number of messages that are not copied yet. */
  readonly messages: number;
  /** The time for which the oldest of them has been waiting at most; 0 while copying keeps up. */
  readonly lagMs: number;
}

/** Undefined where hits are not sent to Kafka. */
export async function readCopierReport(on: Queryable): Promise<CopierReport | undefined> {
  const rows = await readCopying(on);
  const [first] = rows;
  if (first === undefined) return undefined;
  const stopped = rows.find((row) => row.stopped !== null)?.stopped ?? undefined;
  const lost = rows.reduce((sum, row) => sum + row.lost, 0);
  const reason = stopped ?? (lost > 0 ? `Kafka dropped ${lost} messages before they were copied.` : undefined);
  return {
    topic: first.topic,
    status: stopped === undefined ? 'ok' : 'stopped',
    ...(reason === undefined ? {} : { reason }),
    partitions: rows.map((row) => ({
      partition: row.partition,
      status: row.stopped === null ? 'ok' : 'stopped',
      messages: row.messages,
      lagMs: row.lagMs,
    })),
    lost,
    refused: rows.reduce((sum, row) => sum + row.refused, 0),
  };
}

const text = { type: 'string' };

const count = { type: 'integer' };

const status = { ...text, enum: ['ok', 'stopped'] };

export const COPIER_REPORT = {
  type: 'object',
  properties: {
    topic: text,
    status,
    reason: text,
    partitions: {
      type: 'array',
      items: { type: 'object', properties: { partition: count, status, messages: count, lagMs: count } },
    },
    lost: { ...count, description: 'Messages that Kafka dropped before they were copied' },
    refused: { ...count, description: 'Messages that are no hits' },
  },
  description: 'What is copied from Kafka; absent when hits are not sent there',
};
