import fc from 'fast-check';
import type { Pool } from 'pg';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { REGISTRY, schemaOf } from '@ledgerline/contracts/read-models/registry';
import { RECORD_KINDS, type RecordKindName } from '@ledgerline/contracts/record-kinds';
import { Registry } from '@ledgerline/domain/registry/registry';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import { registryReconciliations, storeReconciliations } from '@ledgerline/platform/read-stores/projection-states';
import { WHOLE_LOG_SHARE } from '@ledgerline/platform/read-stores/read-stores';
import { decidedHistory } from '@test/domain/decided-history';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { changeColumn } from '@test/projector/change-column';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { registryGroup } from '../projections/registry/registry-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { describeFinding, type Finding } from './findings';
import { reconcilePartition, repairFindings } from './run-reconciling';

const SCHEMA = schemaOf('registry', 1);

/** Links are not in the registry of a process. */
const KINDS = (Object.keys(RECORD_KINDS) as RecordKindName[]).filter(
  (kind) => kind !== 'organizations' && kind !== 'links',
);

/** Returns whether some record of each kind, and an invitation, is left at the end. */
function leavesEveryKind(history: readonly Recorded[]): boolean {
  const registry = new Registry();
  for (const event of history) registry.apply(event);
  const isIn = (organization: string) => (kind: (typeof KINDS)[number]) =>
    registry.list(kind as 'goals', organization).length > 0;
  const all = ['org_1', 'org_2'].filter((organization) => !registry.isDeleted(organization));
  return (
    all.some((organization) => registry.invitationsOf(organization).length > 0) &&
    KINDS.every((kind) => all.some((organization) => isIn(organization)(kind)))
  );
}

describe('comparing the registry with what was decided', () => {
  it('finds and repairs each column that was changed alone, of every table', async () => {
    expect(await reconcile(true)).toEqual([]);
    const most = Math.max(...REGISTRY.builds.map(({ columns }) => Object.keys(columns).length));
    for (let nth = 0; nth < most; nth++) {
      const changed = REGISTRY.builds.flatMap((model) => {
        const column = Object.keys(model.columns)[nth];
        return column === undefined ? [] : [{ model, column }];
      });
      for (const { model, column } of changed)
        expect({ [model.name]: await changeColumn(pool, SCHEMA, model, column) }).toEqual({ [model.name]: true });
      const findings = await reconcile(nth % 2 === 0);
      const named = changed.map(({ model, column }) => {
        const found = findings.filter(({ table }) => table === model.name);
        if (mergeRolesOf(model).keys.includes(column)) return found.length === 2 && found.every(isOfWholeRow);
        return found.length === 1 && Object.keys(found[0]?.found ?? {}).join() === column;
      });
      expect(changed.filter((_, at) => !named[at])).toEqual([]);
      await repair(findings);
      expect(await reconcile(nth % 2 === 0)).toEqual([]);
    }
  });

  it('names the row and column, and never what is in it', async () => {
    await pool.query(`update ${SCHEMA}.shares set details = details || '{"passwordHash": "scrypt-of-it"}'
      where id = (select min(id) from ${SCHEMA}.shares)`);
    const findings = await reconcile(true);
    expect(findings.map(describeFinding)).toEqual([
      expect.stringMatching(
        /^shares: share_org_\S+ on 2026-01-01: 1 different; expected details "as decided"; found details "another value"$/,
      ),
    ]);
    const kept = await pool.query<{ text: string }>(`select f::text as text from reconciliation_findings f`);
    expect(kept.rows.filter(({ text }) => text.includes('scrypt'))).toEqual([]);
    expect(await registryReconciliations(pool)).toMatchObject([{ group: 'registry', findings: 1 }]);
    expect(await storeReconciliations(pool, WHOLE_LOG_SHARE)).toEqual([]);
    await repair(findings);
  });

  it('finds rows that are missing or were added', async () => {
    await pool.query(`truncate ${SCHEMA}.goals;
      insert into ${SCHEMA}.link_counts values ('org_of_nothing', 3)`);
    const findings = await reconcile(true);
    expect(findings).toContainEqual(expect.objectContaining({ table: 'goals', missing: 1, expected: {}, found: null }));
    const added = { table: 'link_counts', subject: 'org_of_nothing', extra: 1, expected: null };
    expect(findings).toContainEqual(expect.objectContaining(added));
    await repair(findings);
    expect(await reconcile(true)).toEqual([]);
  });

  it('reads the log again only where a row or the position has changed', async () => {
    await reconcile(true);
    const read = jest.spyOn(log, 'read');
    expect(await reconcile(true)).toEqual([]);
    expect(read).not.toHaveBeenCalled();
    await pool.query(`update ${SCHEMA}.flags set revision = revision + 1`);
    const findings = await reconcile(true);
    expect(findings).not.toEqual([]);
    expect(await reconcile(true)).toEqual(findings);
    await repair(findings);
  });

  const isOfWholeRow = ({ missing, extra }: Finding) => missing + extra === 1;

  let database: TestDatabase;
  let pool: Pool;
  let group: BoundGroup;
  const histories = fc.sample(decidedHistory, { seed: 215, numRuns: 3_000 });
  const log = logOf(histories.find(leavesEveryKind) ?? []);

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    group = bind(registryGroup(), log, pool);
    await openLiveVersion(pool, group, log);
    const runner = group.runner({ partition: 0, batch: 1_000, version: 1 });
    await waitUntil(
      () => runner.step(),
      (step) => step === 'idle',
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function reconcile(goesOn: boolean): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => void findings.push(finding);
    await reconcilePartition({ group, partition: 0, goesOn, rest: () => Promise.resolve(), onFinding });
    return findings;
  }

  async function repair(findings: readonly Finding[]): Promise<void> {
    const repaired: Finding[] = [];
    for await (const finding of repairFindings(group, 0, findings)) repaired.push(finding);
    expect(repaired).toEqual(findings);
  }
});

/** An event store in memory. */
function logOf(history: readonly Recorded[]): LogReader<RecordedEvent> {
  const log = new MemoryLog(history as readonly object[] as readonly ObservedEvent[]); // it looks at their types alone
  const decided = (event: object, at: number) =>
    ({ ...event, id: `event_${at}`, cursor: String(at), metadata: {} }) as RecordedEvent;
  return {
    epoch: log.epoch,
    partitions: log.partitions,
    head: log.head,
    compare: log.compare,
    waitForMore: (...of) => log.waitForMore(...of),
    read: async (...of) => {
      const { events, ...batch } = await log.read(...of);
      return { ...batch, events: events.map(({ event, offset }) => decided(event, offset)) };
    },
  };
}
