import fc from 'fast-check';
import { RollupRow } from '@ledgerline/aggregation/batch-deltas';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { append } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { customEvent } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { runs } from '@test/random-runs';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind } from '../runner/bound-group';
import type { LogRunner } from '../runner/partition-runner';
import { RULE, compactAll, compactRollups } from './compact-rollups';

const SCHEMA = `websites_v${IN_PIECES}`;

describe('the rows of kept counts', () => {
  it('add up to the same, however batches and packings take turns', async () => {
    const sites = fc.array(traffic, { minLength: 1, maxLength: 3 });
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });
    const rules = fc.record({
      largest: fc.constantFrom(300, 2_000, 1_000_000),
      ofTier: fc.integer({ min: 2, max: 4 }),
    });
    const turns = fc.array(fc.boolean(), { minLength: 1, maxLength: 9 });
    const property = fc.asyncProperty(sites, pieces, rules, turns, async (all, sizes, some, packs) => {
      const rule = { ...RULE, tiers: [100, 400, 1_600], most: 8, ...some };
      const events = all.flatMap((random, n) =>
        random.events({ websiteId: `site_${++sitesBefore} ${n}`, organizationId: 'org_1', zone: random.zone }),
      );
      const last = await lastWebsite();
      const whole = await sumsInOneGo(events, last);
      const runner = await runnerOf(events, sizes);
      for (let nth = 0; (await runner.step()) === 'moved'; nth++)
        if (packs[nth % packs.length]) await compactRollups({ ...pass(), rule });
      const before = await readKept(versions.pool, SCHEMA, last);
      expect(keptSums(before)).toEqual(whole);
      await compactAll({ ...pass(), rule });
      const after = await readKept(versions.pool, SCHEMA, last);
      expect(keptSums(after)).toEqual(whole);
      expect(after.length).toBeLessThanOrEqual(before.length);
    });
    await fc.assert(property, { seed: 71, numRuns: runs(8), endOnFailure: true });
  }, 120_000);

  it('are few, and say how large they are and about which days', async () => {
    const last = await lastWebsite();
    await project(
      await runnerOf(
        Array.from({ length: 200 }, (_, n) => customEvent('few', n * 3_600)),
        [2],
      ),
    );
    expect(await rowsOf(last)).toHaveLength(100);
    await compactAll(pass());
    const rows = await rowsOf(last);
    expect(rows.length).toBeLessThanOrEqual(2 * RULE.ofTier);
    expect(rows.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(20_000);
    expect(Math.max(...rows.map(({ until }) => until)) - Math.min(...rows.map(({ since }) => since))).toBe(8);
    expect(await compactRollups(pass())).toMatchObject({ found: 0, merged: 0 });
  });

  it('that grow too large are cut, so that none has a day of another', async () => {
    const last = await lastWebsite();
    await project(
      await runnerOf(
        Array.from({ length: 300 }, (_, n) => customEvent('cut', n * 7_200)),
        [10],
      ),
    );
    const sums = keptSums(await readKept(versions.pool, SCHEMA, last));
    await compactAll({ ...pass(), rule: { ...RULE, largest: 200, most: 4 } });
    const rows = [...(await rowsOf(last))].sort((a, b) => a.since - b.since);
    expect(rows.length).toBeGreaterThan(3);
    for (const [nth, { since }] of rows.entries()) if (nth > 0) expect(since).toBeGreaterThan(rows[nth - 1]!.until);
    expect(keptSums(await readKept(versions.pool, SCHEMA, last))).toEqual(sums);
  });

  it('are merged by one of several packers, beside batches', async () => {
    const last = await lastWebsite();
    const events = Array.from({ length: 400 }, (_, n) => customEvent(`both_${n % 5}`, n * 3_600));
    const runner = await runnerOf(events, [8]);
    for (let step = await runner.step(); step === 'moved';) {
      const packing = [compactRollups(pass()), compactRollups(pass()), compactRollups(pass())];
      const [next, ...packed] = await Promise.all([runner.step(), ...packing]);
      expect(packed.map(({ error }) => error)).toEqual(packed.map(() => undefined));
      step = next;
    }
    await Promise.all([compactAll(pass()), compactAll(pass())]);
    const sums = keptSums(await readKept(versions.pool, SCHEMA, last));
    expect(sums).toEqual(await sumsInOneGo(events, last));
    expect((await rowsOf(last)).length).toBeLessThan(5 * 2 * RULE.ofTier);
  });

  it('of which nothing is left leave none', async () => {
    const last = await lastWebsite();
    const website = last + 1_000_000;
    const rows = [1, -1].map((pageviews) => {
      const row = new RollupRow(website);
      const columns = [[5], [pageviews], [0]].map((values) => Int32Array.from(values));
      row.add(rollupNamed('views'), { size: 1, columns: [...columns, new Int32Array(), new Int32Array()] }, 0, 1);
      return row.values();
    });
    await run(versions.pool, append(SCHEMA, websiteRollups, rows));
    const rule = { ...RULE, ofTier: 2 };
    expect(await compactRollups({ ...pass(), rule })).toMatchObject({ merged: 2, into: 0 });
    expect(await rowsOf(last)).toEqual([]);
  });

  it('that cannot be read keep no other website from being packed', async () => {
    const last = await lastWebsite();
    const events = Array.from({ length: 40 }, (_, n) => customEvent(`part_${n % 2}`, n));
    await project(await runnerOf(events, [4]));
    const [first] = await rowsOf(last);
    await run(
      versions.pool,
      sql`update websites_v3.website_rollups set ${identifier(rollupNamed('custom_events').name)} = '\\x07' where website = ${first!.website} and number = ${first!.number}::bigint`,
    );
    const result = await compactRollups(pass());
    expect(result).toMatchObject({ failed: 1, error: expect.any(RangeError) as unknown });
    const left = await rowsOf(last);
    expect(left.filter(({ website }) => website === first!.website)).toHaveLength(10);
    expect(left.filter(({ website }) => website !== first!.website)).toHaveLength(1);
  });

  let versions: WebsiteVersions;
  let sitesBefore = 0;
  const pass = () => ({ pool: versions.pool, schema: SCHEMA });

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  beforeEach(() => run(versions.pool, sql`truncate websites_v3.website_rollups`));
  afterAll(() => versions.close());

  async function runnerOf(events: readonly WebsiteObservedEvent[], sizes: readonly number[]): Promise<LogRunner> {
    const { pool } = versions;
    await run(pool, sql`update projection_checkpoints set cursor = '' where version = ${IN_PIECES}`);
    let at = 0;
    const log = new MemoryLog(events, () => sizes[at++ % sizes.length]!);
    return bind(new WebsitesGroup(pool), log, pool).runner({ partition: 0, batch: 1_000, version: IN_PIECES });
  }

  async function project(runner: LogRunner): Promise<void> {
    while ((await runner.step()) === 'moved');
  }

  async function sumsInOneGo(events: readonly WebsiteObservedEvent[], after: number) {
    await versions.project(IN_ONE_GO, new MemoryLog(events));
    return keptSums(await readKept(versions.pool, `websites_v${IN_ONE_GO}`, after));
  }

  async function lastWebsite(): Promise<number> {
    const [row] = await run<{ id: number }>(
      versions.pool,
      sql`select coalesce(max(id), 0) as id from dictionary where scope = 0`,
    );
    return row?.id ?? 0;
  }

  const rowsOf = (after: number) =>
    run<{ website: number; number: string; since: number; until: number; size: number }>(
      versions.pool,
      sql`select website, number::text, since, until, size from websites_v3.website_rollups where website > ${after}
        order by website, number`,
    );
});
