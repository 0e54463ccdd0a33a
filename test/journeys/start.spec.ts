import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runtimeFile } from '@ledgerline/platform/config/runtime-file';
import { BROWSER, examples } from '../../scripts/supervisor/screen';
import { curlCommandsIn, send } from '../docs/curl';
import { readmeExamples } from '../docs/readme';
import { waitUntil } from '../wait-until';
import { build, installation, Product, root, untilAnswer, type Installation } from './product';

jest.setTimeout(600_000);

let place: Installation;
let product: Product;

beforeAll(async () => {
  await build();
  place = await installation();
  product = await new Product(place).running();
});
afterAll(async () => {
  await product.stop().catch(() => undefined);
  place.remove();
});

describe('the first start', () => {
  it('shows what it made and keeps it for its owner only', () => {
    const { websiteId, linkId, shortUrl, apiKey, owner } = product.demo;
    for (const shown of [websiteId, linkId, shortUrl, apiKey, owner.email]) expect(product.screen).toContain(shown);
    for (const file of ['first-run.json', 'runtime.json', 'secrets.json']) {
      expect(statSync(join(place.dataDir, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('makes no noise', () => {
    expect(product.screen).not.toMatch(/\{"level"|LOG:|\[Nest\]|Warning/);
    expect(product.complaints).toBe('');
  });

  it('does what the README says', async () => {
    for (const { command, answer } of readmeExamples(product.demo)) {
      if (answer === undefined) expect((await send(command)).status).toBeLessThan(400);
      else
        await untilAnswer(
          () => answerTo(command),
          (given) => same(given, answer),
        );
    }
  });

  it('gives commands that work: a view and a click go in, the answers come out', async () => {
    const [view, click, pages, clicks] = curlCommandsIn(product.screen);
    expect(await jsonOf(await send(view!))).toMatchObject({ status: 'success', processed: 1 });
    expect((await send(click!)).status).toBe(302);
    await untilAnswer(
      () => rowsOf(pages!),
      (rows) => rows.some(({ name, visitors }) => name === '/welcome' && visitors === 1),
    );
    await untilAnswer(
      () => rowsOf(clicks!),
      ([row]) => row?.total === 2,
    );
  });

  it('shows its projections again and again, without codes of a terminal in a pipe, until it is interrupted', async () => {
    const args = [join(root, 'dist', 'scripts', 'projections.js'), 'list', '--watch'];
    const watching = spawn(process.execPath, args, { env: place.env });
    let shown = '';
    watching.stdout.on('data', (text: Buffer) => (shown += text.toString()));
    await product.during(waitUntil(() => shown.match(/│ websites +│ \d+ +│ live /g)?.length === 2));
    watching.kill('SIGINT');
    expect(await new Promise((resolve) => watching.once('close', resolve))).toBe(0);
    expect(shown).not.toContain('\u001b');
  });

  it('imports an access log, once', () => {
    const log = join(place.dataDir, 'access.log');
    const line = `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /blog HTTP/1.1" 200 512 "-" "${BROWSER}"`;
    writeFileSync(log, `${line}\n`);
    const args = [join(root, 'dist', 'scripts', 'import.js'), '--website', product.demo.websiteId, log];
    for (const added of ['1', '0']) {
      const { status, stdout } = spawnSync(process.execPath, args, { env: place.env, encoding: 'utf8' });
      expect(status).toBe(0);
      expect(stdout).toContain(added);
    }
  });
});

describe('another start', () => {
  it('of the same data directory is refused with one sentence', async () => {
    const other = new Product(place);
    expect(await other.ended).toBe(1);
    expect(other.complaints.trim()).toMatch(
      /^The data directory .* is in use by another "npm start" \(process \d+\);.*\.$/,
    );
  });

  it('on busy ports is refused with one sentence', async () => {
    const elsewhere = await installation();
    const ports = { API_PORT: place.env.API_PORT, TRACKER_PORT: place.env.TRACKER_PORT };
    const other = new Product({ ...elsewhere, env: { ...elsewhere.env, ...ports } });
    expect(await other.ended).toBe(1);
    expect(other.complaints.trim()).toMatch(/^Port \d+ is already in use; .*\.$/);
    elsewhere.remove();
  });

  it('with bad variables is refused with a sentence for each', async () => {
    const elsewhere = await installation({ API_PORT: 'http', LOG_LEVEL: 'loud' });
    const other = new Product(elsewhere);
    expect(await other.ended).toBe(1);
    expect(other.complaints.trim()).toMatch(/^API_PORT is "http"; .*\.\nLOG_LEVEL is "loud"; .*\.$/);
    elsewhere.remove();
  });

  it('on a database that is away waits for it, says so, and can be stopped', async () => {
    const elsewhere = await installation({
      DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/nothing',
      AUTH_SECRET: 'a'.repeat(32),
      KEY_PEPPER: 'b'.repeat(32),
      AUDIT_SIGNING_KEY: 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g',
    });
    const other = new Product(elsewhere);
    const said = () => `${other.screen}${other.complaints}`;
    await other.during(waitUntil(said, (text) => text.includes('The database is away (connection refused); ')));
    expect(await other.stop()).toBe(0);
    expect(said()).not.toContain('hidden');
    elsewhere.remove();
  });
});

describe('killed processes', () => {
  it('are started again, and a stream of hits loses none that was acknowledged and counts none twice', async () => {
    let acknowledged = 0;
    let isOver = false;
    const stream = async (name: number): Promise<void> => {
      for (let n = 0; !isOver; n++, acknowledged++) await accepted('/stream', `stream-${name}-${n}`);
    };
    const streams = [1, 2, 3, 4].map(stream);
    for (const name of ['tracker', 'projector', 'api', 'postgres'] as const) {
      await product.killAndWait(name);
      await accepted('/stream', `after-${name}`);
      acknowledged++;
    }
    await product.killServer();
    await accepted('/stream', 'after-the-server');
    acknowledged++;
    isOver = true;
    await Promise.all(streams);
    await counted('/stream', acknowledged);
  });
});

describe('the next start', () => {
  it('finds everything after Ctrl-C', async () => {
    expect(await product.stop('SIGINT')).toBe(0);
    expect(existsSync(runtimeFile(place.dataDir))).toBe(false);
    await startsAgain();
  });

  it('finds everything after the supervisor was killed', async () => {
    await product.stop('SIGKILL');
    await startsAgain();
  });

  it('finds everything after all processes were killed', async () => {
    await accepted('/before-the-end');
    await product.killEverything();
    await startsAgain();
    await counted('/before-the-end');
  });

  it('ends in order on SIGTERM, too', async () => {
    expect(await product.stop('SIGTERM')).toBe(0);
    expect(existsSync(runtimeFile(place.dataDir))).toBe(false);
  });
});

async function startsAgain(): Promise<void> {
  product = await new Product(place).running();
  expect(product.screen).not.toContain(product.demo.apiKey);
  await counted('/pricing');
}

/** All page views happen at one moment, as a visitor is another one on the next day. */
const timestamp = Date.now();

/** Sends a page view until it is accepted, as a client does; its id makes the repeats harmless. */
async function accepted(path: string, eventId = path): Promise<void> {
  const event = { name: 'screen_view', eventId, anonymousId: 'me', sessionId: 's1', path, timestamp };
  const { trackUrl, websiteId } = product.demo;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': BROWSER },
    body: JSON.stringify([event]),
  };
  await untilProductAnswers(
    async () => (await fetch(`${trackUrl}/batch?client_id=${websiteId}`, init)).status,
    (status) => status === 200,
  );
}

async function counted(path: string, pageviews = 1): Promise<void> {
  const [, , pages] = examples(product.demo);
  const isThere = (row: Row) => row.name === path && row.pageviews === pageviews && row.visitors === 1;
  await untilProductAnswers(
    () => rowsOf(pages!.command),
    (rows) => rows.some(isThere),
  );
}

const untilProductAnswers = <T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> =>
  product.during(untilAnswer(ask, isExpected));

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(command: string): Promise<Row[]> {
  const answer = await jsonOf(await send(command));
  const { data } = answer as { data?: { data: Row[] }[] };
  if (!data?.[0]) throw new Error(JSON.stringify(answer));
  return data[0].data;
}

const answerTo = async (command: string) => jsonOf(await send(command));

/** Equal but for what depends on the day and the moment. */
function same(given: unknown, documented: unknown): boolean {
  const [one, other] = [given, documented].map((answer) => {
    const moment = { startDate: '', endDate: '', asOf: '', newestEventAt: '', lagMs: 0 };
    return JSON.parse(
      JSON.stringify(answer, (key, value: unknown) => (key in moment ? typeof value : value)),
    ) as unknown;
  });
  return isDeepStrictEqual(one, other);
}

const jsonOf = (response: Response): Promise<unknown> => response.json();
