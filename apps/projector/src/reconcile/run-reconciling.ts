import { setTimeout } from 'node:timers/promises';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { repeatWork } from '@ledgerline/platform/processes/periodic-work';
import { serves } from '@ledgerline/platform/read-stores/read-stores';
import type { BoundGroup } from '../runner/bound-group';
import type { GroupWork } from '../runner/group-work';
import { compareRegistry, repairRegistry } from './compare-registry';
import { compareProfiles, compareReplayed } from './compare-replayed';
import { compareWebsitesWithLog } from './compare-websites';
import { countFinding, findOldest, noteCompared, noteFound, noteUncompared, readClock, type Finding } from './findings';
import { openLivePartition } from './log-part';
import { repairSubject, type DifferingDays } from './repair';
import { StoredDigests, type Comparing } from './stored-digests';

interface ComparedPartition extends Pick<Comparing, 'group' | 'rest'> {
  readonly partition: number;
  /** True if what is known of the log and of days is believed: then what has changed since is compared. */
  readonly goesOn: boolean;
  /** Called for each finding; `isNew` = it was not found before. */
  readonly onFinding: (finding: Finding, isNew: boolean) => void;
}

export const COMPARE: Readonly<Record<Group, (of: Comparing) => Promise<void>>> = {
  registry: compareRegistry,
  websites: async (of) => {
    await compareWebsitesWithLog(of);
    await compareProfiles(of);
  },
  links: compareReplayed,
  monitors: compareReplayed,
};

/** Compares the live tables of a partition with its log, and notes what differs. */
export async function reconcilePartition(compared: ComparedPartition): Promise<void> {
  const { group, partition, goesOn, rest, onFinding } = compared;
  const { pool, name } = group;
  const of = { group: name, partition };
  await noteUncompared(pool, of);
  const since = await readClock(pool);
  const report = async (finding: Finding) => onFinding(finding, await noteFound(live, finding, !goesOn));
  const live = await openLivePartition(group, partition);
  const stored = goesOn ? await StoredDigests.open(live) : undefined;
  await COMPARE[name]({ group, live, stored, report, rest });
  await noteCompared(pool, of, since, !goesOn);
}

/** Makes the live tables hold what follows from the log of one subject, and notes what differed. */
export const repair = async (group: BoundGroup, partition: number, of: DifferingDays): Promise<readonly Finding[]> =>
  repairSubject(group, await openLivePartition(group, partition), of);

/** Repairs what a comparison of a partition has found; yields what differed. @throws TablesRevised */
export async function* repairFindings(
  group: BoundGroup,
  partition: number,
  findings: readonly Finding[],
): AsyncGenerator<Finding> {
  if (findings.length > 0 && group.name === 'registry') {
    yield* await repairRegistry(group, await openLivePartition(group, partition));
    return;
  }
  for (const subject of new Set(findings.map((finding) => finding.subject))) {
    const days = findings.filter((finding) => finding.subject === subject).map(({ day }) => day);
    yield* await repair(group, partition, { subject, days });
  }
}

interface ReconcilingLoop extends GroupWork {
  /** The part of the time in which it works, in this process or in Postgres: one of both waits for the other. */
  readonly share?: number;
  /** A partition that was compared less than that ago is not compared again. */
  readonly everyMs?: number;
}

const SHARE = 0.05;
const EVERY_MS = 10 * 60_000;
const IDLE_MS = 60_000;
/** New findings of one pass that have a line of their own in the log. */
const LOGGED = 20;
const OUTAGE = {
  began: 'tables cannot be compared with the log; trying again',
  ended: 'tables are compared with the log again',
};

/** Compares the partitions of a group with its log in turn, the one that was compared longest ago first, until the signal. */
export const runReconciling = ({ share = SHARE, everyMs = EVERY_MS, ...work }: ReconcilingLoop): Promise<void> =>
  repeatWork(work, { everyMs: Math.min(everyMs, IDLE_MS), ...OUTAGE }, async () => {
    while (!work.signal.aborted && (await compareOldest({ ...work, share, everyMs })));
  });

/** In the one process that holds the lock, which its connection keeps. False if none was due. */
async function compareOldest({ group, logger, signal, share, everyMs }: Required<ReconcilingLoop>): Promise<boolean> {
  const { pool, log, name } = group;
  const partitions = Array.from({ length: await log.partitions() }, (_, at) => at).filter((each) =>
    serves(group.share, each),
  );
  for (const partition of partitions) await noteUncompared(pool, { group: name, partition });
  const client = await pool.connect();
  try {
    const lock = sql`select pg_try_advisory_lock(hashtext(${`ledgerline reconcile ${name}`})) as mine`;
    const [claim] = await run<{ mine: boolean }>(client, lock);
    const oldest = claim?.mine ? await findOldest(pool, name, partitions) : undefined;
    if (!oldest || oldest.agoMs < everyMs) return false;
    const { partition } = oldest;
    let findings = 0;
    const onFinding = (finding: Finding, isNew: boolean) => {
      if (!isNew || ++findings > LOGGED) return; // a damaged table has as many as days
      const { expected: _, found: __, ...counts } = finding; // rows are kept where an erasure reaches them
      logger.error({ finding: counts }, `a table differs from the log: ${countFinding(finding)}`);
    };
    await reconcilePartition({ group, partition, goesOn: true, rest: restFor(share, signal), onFinding });
    const more = findings - LOGGED;
    if (more > 0) logger.error({ findings }, `tables differ from the log on ${more} more days`);
    return true;
  } finally {
    client.release(true); // with its lock
  }
}

/** Pauses so long after each piece of work that only that share of the time is worked; throws at the signal. */
function restFor(share: number, signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const workedMs = performance.now() - since;
    await setTimeout(workedMs / share - workedMs, undefined, { signal });
    since = performance.now();
  };
}
