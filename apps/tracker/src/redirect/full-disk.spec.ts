import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { proxyTo, type BreakableProxy } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { SmallDisk } from '@test/reliability/faults/small-disk';
import { allOf } from '@test/tracker/all-of';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { waitUntil } from '@test/wait-until';
import { BROWSER } from '../../../../scripts/supervisor/screen';

const DISK_MB = 8;
const folder = mkdtempSync(join(tmpdir(), 'ledgerline-disk-'));
const disk = SmallDisk.at(folder, DISK_MB);
/** Where no disk can be mounted, there is none to fill. */
const test = disk === undefined ? it.skip : it;

describe('clicks while a disk that others fill is full', () => {
  let database: TestDatabase;
  let proxy: BreakableProxy;
  let tracker: RunningTracker;
  let log: IntakeLog;
  let visitors = 0;

  beforeEach(async () => {
    database = await createTestDatabase();
    log = await openIntakeLog({ databaseUrl: database.url });
    visitors = 0;
    const { hostname, port } = new URL(database.url);
    proxy = await proxyTo(hostname, Number(port));
  });
  afterEach(async () => {
    disk?.empty();
    await proxy.mend();
    await tracker.stop();
    await proxy.close();
    await log.close();
    await database.drop();
    rmSync(join(folder, 'spool'), { recursive: true, force: true });
  });
  afterAll(() => {
    disk?.unmount();
    rmSync(folder, { recursive: true });
  });

  const start = async (variables: Readonly<Record<string, string>> = {}) => {
    const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
    const own = { DATABASE_URL: url, DATA_DIR: folder, CLICK_ROOM_MB: '1', TRUST_PROXY: 'true', LOG_LEVEL: 'error' };
    tracker = await startTracker({ ...own, ...variables });
    if (visitors === 0) await tracker.createLink('link_1', { slug: 'sale' });
    await follow(1); // into the cache
  };

  /** Returns how many of so many clicks were redirected; every other one was answered 503. */
  const follow = async (clicks: number): Promise<number> => {
    let redirected = 0;
    for (let n = 0; n < clicks; n++) {
      const referer = `https://news.example/${++visitors}/${'x'.repeat(1_900)}`;
      const headers = { 'user-agent': BROWSER, referer, 'x-forwarded-for': '81.2.69.142' };
      const { statusCode, headers: answered } = await tracker.app.inject({ url: '/sale', headers });
      if (statusCode === 302) redirected++;
      else expect([statusCode, answered['retry-after']]).toEqual([503, '2']);
    }
    return redirected;
  };

  const recorded = async () =>
    (await allOf(log)).flatMap((event) => (event.type === 'LinkClicked' ? [event.data.referrer?.path] : []));

  /** Exactly these, and none twice. */
  const untilRecorded = async (clicks: number) => {
    await waitUntil(async () => (await recorded()).length >= clicks);
    const paths = await recorded();
    expect([paths.length, new Set(paths).size]).toEqual([clicks, clicks]);
  };

  const health = async (): Promise<unknown> => (await tracker.app.inject({ url: '/health' })).json();

  const untilRoom = () =>
    waitUntil(async () => !/_room_bytes 0$/m.test((await tracker.app.inject({ url: '/metrics' })).body));

  test('are redirected as far as room was kept, and not beyond; every redirected one arrives once', async () => {
    await start();
    await untilRoom();
    disk?.fill();
    await proxy.refuse();
    const redirected = 1 + (await follow(700));
    expect(redirected).toBeGreaterThan(200);
    expect(redirected).toBeLessThan(600);
    expect(await follow(3)).toBe(0);
    expect(await health()).toMatchObject({ status: 'degraded' });
    await proxy.mend();
    await untilRecorded(redirected);
    expect(await waitUntil(async () => (await follow(1)) === 1)).toBe(true);
    disk?.empty();
    await waitUntil(async () => JSON.stringify(await health()) === '{"status":"ok"}');
  });

  test('are in the log before they are redirected where the disk was full at the start', async () => {
    disk?.fill();
    await start();
    const redirected = 1 + (await follow(20));
    expect([redirected, (await recorded()).length]).toEqual([21, 21]);
    expect(await health()).toEqual({
      status: 'degraded',
      clicks: { reason: 'The disk takes no clicks (ENOSPC).', roomBytes: 0 },
    });
    await proxy.refuse();
    expect(await follow(20)).toBe(0);
    disk?.empty();
    await untilRoom();
    const spooled = await follow(20);
    expect(spooled).toBe(20);
    await proxy.mend();
    await untilRecorded(redirected + spooled);
  });

  test('have the room that the process before them kept', async () => {
    await start();
    await untilRoom();
    disk?.fill();
    await tracker.stop();
    await start();
    await untilRoom();
    await proxy.refuse();
    expect(await follow(50)).toBe(50);
    await proxy.mend();
    await untilRecorded(52);
  });

  test('are redirected and counted as lost where that is set', async () => {
    disk?.fill();
    await start({ UNRECORDED_CLICKS: 'redirect' });
    await untilRecorded(1);
    await proxy.refuse();
    const redirected = await follow(20);
    expect(redirected).toBe(20);
    await waitUntil(() => tracker.lines.some((line) => line.includes('they are lost')));
    const { body } = await tracker.app.inject({ url: '/metrics' });
    const lost = Number(/^ledgerline_clicks_lost_total (\d+)$/m.exec(body)?.[1]);
    await proxy.mend();
    expect(lost).toBe(redirected);
    await untilRecorded(1);
  });
});
