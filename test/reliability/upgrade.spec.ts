import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openPool } from '@ledgerline/platform/database/pool';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { fill, piecesOf, planFor } from '../../tools/bench/fill';
import { root } from '../journeys/product';
import { answersOf, readRecorded, restoreInstallation, SECRETS } from '../upgrade/installation-of-1.0.0';
import { buildNext } from '../upgrade/next-build';
import { waitUntil } from '../wait-until';
import { Installation, type AppName } from './installation';
import { expectCounted, logged, settled } from './log-audit';
import { Readers } from './readers';
import { Stream } from './stream';
import { dayAt, newTenant, type Tenant } from './tenant';

/** The events of past days, so that their answers do not change. */
const EVENTS = 6_000;
/** The pause, ms, of six clients: some 50 events a second. */
const PAUSE_MS = 250;
const APPS: readonly AppName[] = ['projector', 'tracker', 'api'];

jest.setTimeout(600_000);

describe('an upgrade of what 1.0.0 left, prepared under load, and back', () => {
  it('leaves no question unanswered, empty or answered otherwise, and counts what was acknowledged', async () => {
    const readers = new Readers([place.url('api')], tenant);
    await readers.begin();
    expect(await earlierAnswers()).toEqual(recorded.answers);
    const began = Date.now();
    const first = new Stream([place.url('tracker')], tenant, 7, 'before', PAUSE_MS);

    const killed = run(next.dist, 'prepare');
    await killed.prints('websites: reading');
    killed.kill('SIGKILL');
    await killed.ended;
    const preparing = run(next.dist, 'prepare');
    await preparing.prints('Prepared: start this version now');
    await first.progress();

    await upgrade(readers, first, next.dist, async () => {
      const [projector] = place.all('projector').slice(-1);
      process.kill(projector!.service.pid!, 'SIGKILL');
      await place.allReady();
    });
    expect(await preparing.ended).toEqual([0, expect.stringContaining('This version has started and answers.')]);
    expect(await select('select name from migrations order by id desc limit 1')).toEqual([
      { name: 'Next9999999999999' },
    ]);
    await settled(first, tenant, place.databaseUrl, began);
    await expectCounted(place.url('api'), tenant, recent(await logged(place.databaseUrl)));

    expect(await earlierAnswers()).toEqual(recorded.answers);

    const beganAgain = Date.now();
    const second = new Stream([place.url('tracker')], tenant, 8, 'after', PAUSE_MS);
    await second.progress();
    const back = run(BUILD, 'rollback', 'websites', 'links');
    expect(await back.ended).toEqual([
      0,
      expect.stringMatching(/websites uses version 1 again.*links uses version 1/s),
    ]);
    await upgrade(readers, second, BUILD, () => second.progress());
    await settled(second, tenant, place.databaseUrl, beganAgain);
    await expectCounted(place.url('api'), tenant, recent(await logged(place.databaseUrl)));

    expect(await earlierAnswers()).toEqual(recorded.answers);

    expect(await readers.end()).toEqual([]);
    expect(readers.answers).toBeGreaterThan(100);
    expect(place.failures()).toEqual([]);
  });

  let place: Installation;
  let tenant: Tenant;
  let next: ReturnType<typeof buildNext>;
  const recorded = readRecorded();
  /** Returns answers about what version 1.0.0 left, from the api that was started last. */
  const earlierAnswers = () =>
    answersOf(async (target, key, body) => {
      const { url } = place.all('api').at(-1)!;
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const answer = await fetch(`${url}/v1/query?${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(await answer.text());
      return ((await answer.json()) as { data: readonly { parameter: string; data: unknown }[] }).data;
    }, recorded);

  beforeAll(async () => {
    const { AUDIT_SIGNING_KEY, KEY_PEPPER } = SECRETS;
    const secrets = { AUDIT_SIGNING_KEY, KEY_PEPPER };
    const fillDatabase = restoreInstallation;
    place = await Installation.open({ api: 1, tracker: 1, projector: 1 }, secrets, { fillDatabase });
    next = buildNext();
    tenant = await newTenant(place.url('api'));
    const { organizationId, websiteId, linkId } = tenant;
    const about = { organizationId, websiteId, linkId, domain: 'example.com', zone: 'UTC' };
    const log = await openIntakeLog({ databaseUrl: place.databaseUrl });
    await fill(log, [{ ...about, identity: 'stable' }], piecesOf(planFor(EVENTS), EVENTS));
    await log.close();
    await waitUntil(
      async () => {
        const [row] = await select<{ isProjected: boolean }>(
          `select bool_and(cursor = (next_offset - 1)::text) as "isProjected" from projection_checkpoints
          join intake_heads using (partition) where projection_group in ('websites', 'links') and next_offset > 0`,
        );
        return row?.isProjected === true;
      },
      undefined,
      180_000,
    );
  });
  afterAll(async () => {
    await place.close();
    next.remove();
  });

  /** Starts a build beside the one that runs, and ends that one, as a rolling start does. */
  async function upgrade(
    readers: Readers,
    stream: Stream,
    dist: string,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    const before = [...place.apps];
    for (const name of APPS) await place.startAnother(name, dist);
    readers.ask([place.all('api').at(-1)!.url, ...readers.apis]);
    await meanwhile();
    await readers.progress();
    for (const app of before) {
      if (app.name === 'api') readers.ask(readers.apis.filter((url) => url !== app.url));
      if (app.name === 'tracker') stream.sendTo([place.all('tracker').at(-1)!.url]);
      await readers.progress();
      await place.stopForGood(app);
    }
  }

  /** Runs `npm run projections` of a build. */
  function run(dist: string, ...words: string[]) {
    const env = { ...process.env, DATABASE_URL: place.databaseUrl, DATA_DIR: place.folder };
    const child = spawn(process.execPath, [join(dist, 'scripts/projections.js'), ...words], { env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (printed += data.toString()));
    const ended = new Promise<[number | null, string]>((resolve) =>
      child.once('close', (code) => resolve([code, printed])),
    );
    return {
      ended,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      prints: (text: string) =>
        waitUntil(
          () => {
            if (child.exitCode !== null && !printed.includes(text)) throw new Error(printed);
            return printed;
          },
          (seen) => seen.includes(text),
          180_000,
        ),
    };
  }

  async function select<Found extends object>(text: string): Promise<readonly Found[]> {
    const pool = openPool({ url: place.databaseUrl, name: 'onlooker', max: 1, connectTimeoutMs: 60_000 });
    try {
      return (await pool.query<Found & Record<string, unknown>>(text)).rows;
    } finally {
      await pool.end();
    }
  }
});

const BUILD = join(root, 'dist');

/** Returns the events of the days that are compared. */
const recent = (log: readonly ObservedEvent[]) => log.filter(({ at }) => at >= Date.parse(dayAt(-1)));
