import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { verifyIntakeLog } from '../../../scripts/audit/verify-segments';
import { Random } from '../../../tools/traffic/random';
import type { KafkaCluster } from '../../kafka/cluster';
import { describeOnKafka } from '../../kafka/on-kafka';
import { waitUntil } from '../../wait-until';
import { expectExact, HitTraffic } from './hit-traffic';
import { KafkaIntake } from './kafka-intake';

/** The number of times that copiers come and go; `npm run prove` sets more. */
const CHANGES = Number(process.env['KAFKA_COPIERS'] ?? 3);
/** The number of times that the broker is killed. */
const KILLS = Number(process.env['KAFKA_KILLS'] ?? 1);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);

export const LONGEST_MS = 240_000 + (CHANGES + KILLS) * 20_000;

/** Tests what several copiers of one topic keep, whatever ends of them, their database and their broker. */
export function shareCopying(opened: () => KafkaCluster): void {
  let intake: KafkaIntake;
  let senders: IntakeSender[];

  beforeEach(async () => {
    intake = await KafkaIntake.open(opened().connection, { partitions: 4 });
    senders = [await intake.sender(), await intake.sender()];
  });
  afterEach(() => intake.close());

  it(`share the partitions, and lose and double nothing when some come and go (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    const running = [await intake.startCopier()];
    const traffic = new HitTraffic(intake, senders);
    for (let change = 0; change < CHANGES; change++) {
      await traffic.progress();
      const isMore = running.length < 2 || (running.length < 4 && random.chance(0.5));
      if (isMore) running.push(await intake.startCopier());
      else await running.splice(random.below(running.length), 1)[0]?.stop();
    }
    await traffic.progress();
    await expectExact(intake, traffic);
    expect(intake.messages('error')).toEqual([]);
    await expectChained();
  });

  it('take over from one that was killed between its writes', async () => {
    const traffic = new HitTraffic(intake, senders);
    const { copier, release } = await copierBetweenItsWrites(traffic);
    const dead = once(copier, 'exit');
    copier.kill('SIGKILL');
    await dead;
    await release();
    await intake.startCopier();
    await traffic.progress();
    await expectExact(intake, traffic);
    await expectChained();
  });

  it('take over from one that hangs between its writes, which writes nothing stale when it goes on', async () => {
    const traffic = new HitTraffic(intake, senders);
    const { copier, release } = await copierBetweenItsWrites(traffic);
    copier.kill('SIGSTOP');
    await release();
    await waitUntil(
      () => run(intake.pool, HANGING),
      ({ length }) => length > 0,
    );
    await waitUntil(
      () => run(intake.pool, HANGING),
      ({ length }) => length === 0,
      LOST_WITHIN_MS,
    );
    await intake.startCopier();
    await expectExact(intake, traffic);
    copier.kill('SIGCONT');
    const after = new HitTraffic(intake, senders, 2);
    await after.progress();
    await expectExact(intake, traffic, after);
    await expectChained();
  });

  it('go on after their connections to Postgres were cut, again and again', async () => {
    await intake.startCopier();
    const traffic = new HitTraffic(intake, senders);
    for (let cut = 0; cut < CHANGES; cut++) {
      await traffic.progress();
      await run(
        intake.pool,
        sql`select pg_terminate_backend(pid, 60000) from pg_stat_activity
            where datname = current_database() and application_name = 'ledgerline-copier'`,
      );
    }
    await traffic.progress();
    await expectExact(intake, traffic);
    await expectChained();
  });

  const afterItsBroker = () =>
    it('goes on, with the trackers, after the broker was killed and started again, and after it hung', async () => {
      await intake.startCopier();
      const traffic = new HitTraffic(intake, senders);
      for (let kill = 0; kill < KILLS; kill++) {
        await traffic.progress();
        await opened().kill(0);
        await opened().start(0);
      }
      await traffic.progress();
      const before = traffic.unknown.size;
      opened().pause(0);
      await waitUntil(() => traffic.unknown.size > before);
      opened().resume(0);
      await traffic.progress();
      await expectExact(intake, traffic);
      await expectChained();
    });
  describeOnKafka('one of which', afterItsBroker, { ownBrokers: true });

  /** A copier whose transaction has moved the offset and waits to store the hits, until it is released. */
  async function copierBetweenItsWrites(
    traffic: HitTraffic,
  ): Promise<{ copier: ChildProcess; release: () => Promise<void> }> {
    const holder = new Client({ connectionString: intake.databaseUrl });
    await holder.connect();
    await holder.query('begin; select from intake_heads for update');
    const copier = intake.startCopierProcess();
    await traffic.progress();
    await waitUntil(
      () => run(intake.pool, WAITING),
      ({ length }) => length > 0,
    );
    return { copier, release: () => holder.end() };
  }

  async function expectChained(): Promise<void> {
    expect(await verifyIntakeLog(intake.pool)).toMatchObject({ valid: true });
  }
}

/** Much longer than the copier's idle transactions may last, and shorter than others. */
const LOST_WITHIN_MS = 20_000;

const HANGING = sql`
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'ledgerline-copier' and state = 'idle in transaction'`;

const WAITING = sql`
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'ledgerline-copier' and wait_event_type = 'Lock'`;
