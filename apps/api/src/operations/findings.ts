import type { Pool } from 'pg';
import { readSendingState, type SendingState } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { FaultRow } from '@ledgerline/platform/event-store/verify-chain';
import { readWaiting } from '@ledgerline/platform/intake-log/intake-log';
import { signedHeadsWarnings } from '@ledgerline/platform/intake-log/signed-intake-heads';
import { type OverdueMonitors, readOverdueMonitors } from '@ledgerline/platform/monitors/monitor-states';
import { type LastBackup, readLastBackup } from '@ledgerline/platform/processes/backups';
import { Poll } from '@ledgerline/platform/processes/poll';
import { type ProcessRow, readProcesses } from '@ledgerline/platform/processes/store-checks';
import {
  decidedLag,
  type LiveCheckpoint,
  registryCheckpoints,
  registryReconciliations,
  storeCheckpoints,
  storeReconciliations,
  type Reconciliation,
} from '@ledgerline/platform/read-stores/projection-states';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import type { SealingWatch } from '../audit/sealing-watch';
import { arraySchema, object, text, whole } from '../http/record.dto';
import { type CopierReport, type Degradation, readCopierReport, formatSeconds } from './degradations';

/** The subjects that are read of the installation, and what is unknown where it was not read for a while. */
const SUBJECTS = {
  projections: 'How far the projections are',
  lag: 'How long events have been waiting',
  processes: 'Which processes run',
  sealing: 'Which organizations are not sealed',
  sealing_lag: 'How far sealing is behind',
  event_store: 'Whether the event store needs attention',
  copier: 'How far hits are copied from Kafka',
  monitors: 'Whether monitors are checked in time',
  deliveries: 'How far destinations are sent to',
  backup: 'When the last backup was made',
  reconciliation: 'Whether the tables equal the log',
} as const;

type FindingName = keyof typeof SUBJECTS;

/** The time for which events of a partition have been waiting. */
export interface WaitingPartition extends Pick<LiveCheckpoint, 'group' | 'partition'> {
  readonly lagMs: number;
}

/** The place of a store of read models, and whether it is on the server of the main database. */
interface StorePlace {
  readonly place: number;
  readonly isMain: boolean;
}

/** The reads by which polls look at one store of read models. */
interface StoreReads extends StorePlace {
  readonly checkpoints: () => Promise<readonly LiveCheckpoint[]>;
  readonly waiting: () => Promise<readonly WaitingPartition[]>;
  readonly reconciliations: () => Promise<readonly Reconciliation[]>;
}

/** The reads by which each of the findings is made. */
interface FindingReads {
  readonly registry: () => Promise<readonly LiveCheckpoint[]>;
  readonly registryWaiting: () => Promise<readonly WaitingPartition[]>;
  readonly registryReconciliations: () => Promise<readonly Reconciliation[]>;
  readonly processes: () => Promise<readonly ProcessRow[]>;
  readonly sealing: () => Promise<readonly FaultRow[]>;
  readonly sealingLag: () => Promise<number | undefined>;
  readonly warnings: () => Promise<readonly string[]>;
  readonly copier: () => Promise<CopierReport | undefined>;
  readonly monitors: () => Promise<OverdueMonitors>;
  readonly deliveries: () => Promise<SendingState>;
  readonly backup: () => Promise<LastBackup | undefined>;
  readonly stores: readonly StoreReads[];
}

const MAX_FAULTS = 100;

export function findingReads(
  eventStore: EventStore,
  main: Pool,
  stores: readonly ReadStore[],
  watch: Pick<SealingWatch, 'report' | 'lag'>,
): FindingReads {
  return {
    registry: () => registryCheckpoints(main),
    registryWaiting: async () => {
      const rows = await registryCheckpoints(main);
      return Promise.all(rows.map(async (row) => ({ ...row, lagMs: await decidedLag(eventStore, row.cursor) })));
    },
    registryReconciliations: () => registryReconciliations(main),
    processes: () => readProcesses(main),
    sealing: () => watch.report(main, MAX_FAULTS),
    sealingLag: () => watch.lag(main),
    warnings: async () => [...(await eventStore.warnings()), ...(await signedHeadsWarnings(eventStore))],
    copier: () => readCopierReport(main),
    monitors: () => readOverdueMonitors(main),
    deliveries: () => readSendingState(main),
    backup: () => readLastBackup(main),
    stores: stores.map((store) => {
      const isMain = store.pool.options.connectionString === main.options.connectionString;
      const pool = isMain ? main : store.pool;
      return {
        place: store.place,
        isMain,
        checkpoints: () => storeCheckpoints(pool, store),
        waiting: async () => {
          const rows = await storeCheckpoints(pool, store);
          const waiting = await readWaiting(main, rows);
          return rows.map((row, at) => ({ ...row, lagMs: waiting[at]?.forMs ?? 0 }));
        },
        reconciliations: () => storeReconciliations(pool, store),
      };
    }),
  };
}

/** A finding with its age. */
export interface FindingReport {
  readonly finding: FindingName;
  /** The place of its read store. */
  readonly store?: number;
  /** unknown: it is older than ten seconds. */
  readonly status: 'known' | 'unknown';
  /** Since it was read last, or since the start. */
  readonly ageMs: number;
}

export const FINDING_REPORTS = {
  ...arraySchema(
    object(
      {
        finding: { ...text, enum: Object.keys(SUBJECTS) },
        store: whole,
        status: { ...text, enum: ['known', 'unknown'], description: 'unknown: it is older than ten seconds' },
        ageMs: { ...whole, description: 'Since it was read last, or since the start' },
      },
      'store',
    ),
  ),
  description: 'When each part of the report was read last',
};

/** Beyond this age of all findings nothing is known, ms. */
const NOTHING_KNOWN_AFTER_MS = 30_000;

/** The findings about the installation: each finding as a poll read it last. */
export class Findings {
  readonly registry: Poll<readonly LiveCheckpoint[]>;
  readonly registryWaiting: Poll<readonly WaitingPartition[]>;
  readonly registryReconciliations: Poll<readonly Reconciliation[]>;
  readonly processes: Poll<readonly ProcessRow[]>;
  readonly sealing: Poll<readonly FaultRow[]>;
  readonly sealingLag: Poll<number | undefined>;
  readonly warnings: Poll<readonly string[]>;
  readonly copier: Poll<CopierReport | undefined>;
  readonly monitors: Poll<OverdueMonitors>;
  readonly deliveries: Poll<SendingState>;
  readonly backup: Poll<LastBackup | undefined>;
  readonly stores: readonly (StorePlace & {
    readonly checkpoints: Poll<readonly LiveCheckpoint[]>;
    readonly waiting: Poll<readonly WaitingPartition[]>;
    readonly reconciliations: Poll<readonly Reconciliation[]>;
  })[];

  /** @param now a monotonic clock, ms */
  constructor(reads: FindingReads, now?: () => number) {
    this.registry = new Poll(reads.registry, now);
    this.registryWaiting = new Poll(reads.registryWaiting, now);
    this.registryReconciliations = new Poll(reads.registryReconciliations, now);
    this.processes = new Poll(reads.processes, now);
    this.sealing = new Poll(reads.sealing, now);
    this.sealingLag = new Poll(reads.sealingLag, now);
    this.warnings = new Poll(reads.warnings, now);
    this.copier = new Poll(reads.copier, now);
    this.monitors = new Poll(reads.monitors, now);
    this.deliveries = new Poll(reads.deliveries, now);
    this.backup = new Poll(reads.backup, now);
    this.stores = reads.stores.map(({ checkpoints, waiting, reconciliations, ...of }) => ({
      ...of,
      checkpoints: new Poll(checkpoints, now),
      waiting: new Poll(waiting, now),
      reconciliations: new Poll(reconciliations, now),
    }));
  }

  get all(): readonly { readonly finding: FindingName; readonly store?: number; readonly poll: Poll<unknown> }[] {
    return [
      { finding: 'projections', poll: this.registry },
      { finding: 'lag', poll: this.registryWaiting },
      { finding: 'reconciliation', poll: this.registryReconciliations },
      { finding: 'processes', poll: this.processes },
      { finding: 'sealing', poll: this.sealing },
      { finding: 'sealing_lag', poll: this.sealingLag },
      { finding: 'event_store', poll: this.warnings },
      { finding: 'copier', poll: this.copier },
      { finding: 'monitors', poll: this.monitors },
      { finding: 'deliveries', poll: this.deliveries },
      { finding: 'backup', poll: this.backup },
      ...this.stores.flatMap(({ place: store, checkpoints, waiting, reconciliations }) => [
        { finding: 'projections' as const, store, poll: checkpoints },
        { finding: 'lag' as const, store, poll: waiting },
        { finding: 'reconciliation' as const, store, poll: reconciliations },
      ]),
    ];
  }

  reports(): FindingReport[] {
    return this.all.map(({ poll, ...of }) => ({
      ...of,
      status: poll.answer === undefined || poll.isOverdue ? 'unknown' : 'known',
      ageMs: Math.round(poll.ageMs),
    }));
  }

  /** For how long nothing was read, ms; undefined while anything is known. */
  get unknownForMs(): number | undefined {
    const youngest = Math.min(...this.all.map(({ poll }) => poll.ageMs));
    return youngest > NOTHING_KNOWN_AFTER_MS ? youngest : undefined;
  }
}

export const unknownDegradations = (reports: readonly FindingReport[]): Degradation[] =>
  reports
    .filter(({ status }) => status === 'unknown')
    .map(({ finding, store, ageMs }) => ({
      kind: 'unknown',
      group: finding,
      ...(store === undefined ? {} : { store }),
      reason: `${SUBJECTS[finding]} has been unknown for ${formatSeconds(ageMs)}.`,
    }));
