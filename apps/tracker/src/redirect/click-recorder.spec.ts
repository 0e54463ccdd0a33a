import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomEventId } from '@ledgerline/contracts/events/event-id';
import { HitTooLarge, type Hit, type SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { ClickRecorder } from './click-recorder';
import { ClickSpool } from './click-spool';
import { clicksIn, lineOf, together, type Click } from './clicks';
import { ownerOf, SILENT_MS } from './spool-owner';

describe('the recorder of clicks', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(async () => {
    jest.useRealTimers();
    await rm(folder, { recursive: true });
  });

  const start = (log: Log, maxBytes = 1_000_000) =>
    new ClickRecorder((hits) => log.send(hits), new ClickSpool(folder, maxBytes), quiet);

  const spooled = async () => {
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    return files.flatMap((text) => text.split('\n').flatMap((each) => clicksIn(each)?.clicks.map(nameOf) ?? []));
  };

  it('sends what comes together as one batch', async () => {
    const log = new Log();
    const recorder = start(log);
    for (const id of ['a', 'b', 'c']) recorder.add(click(id));
    await recorder.close();
    expect(log.taken).toEqual([['a', 'b', 'c']]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('spools while the log is away, and sends everything once it is back', async () => {
    const log = new Log();
    log.away = true;
    const recorder = start(log);
    recorder.add(click('a'));
    await until(() => log.asked > 0);
    await waited();
    recorder.add(click('b'));
    await waited();
    log.away = false;
    await until(() => log.ids().length === 2);
    expect(log.ids().sort()).toEqual(['a', 'b']);
    expect(log.dedupes.at(-1)).toBe('forever');
    await until(async () => (await readdir(folder)).length === 0);
    await waited();
    recorder.add(click('c'));
    await recorder.close();
    expect(log.ids().sort()).toEqual(['a', 'b', 'c']);
  });

  it('has a click on disk before the log hears of it, and until the log has it, which hears of it once', async () => {
    const log = new Log();
    log.slow = true;
    const recorder = start(log);
    recorder.add(click('a'));
    await until(() => log.asked === 1);
    recorder.add(click('b'));
    await until(async () => (await spooled()).length === 2);
    expect(await spooled()).toEqual(['a', 'b']);
    log.release();
    await until(async () => (await readdir(folder)).length === 0);
    await recorder.close();
    expect([log.taken, log.dedupes, log.asked]).toEqual([[['a'], ['b']], ['48h', '48h'], 2]);
  });

  it('sends what cannot be written to disk, and says what is lost when that fails too', async () => {
    const log = new Log();
    const recorder = start(log, 10);
    recorder.add(click('a'));
    await until(() => log.ids().length === 1);
    log.away = true;
    recorder.add(click('b'));
    await recorder.close();
    expect([log.ids(), await readdir(folder)]).toEqual([['a'], []]);
    expect(quiet.error).toHaveBeenCalledWith({ clicks: 1 }, expect.stringContaining('lost'));
  });

  it('takes over what processes that died have left, whenever they died, and nothing of those that live', async () => {
    const owner = ownerOf(process.ppid);
    const living = fileOf(owner);
    const elsewhere = fileOf(`00000000${owner.slice(8)}`);
    await writeFile(join(folder, living), line('living'));
    await writeFile(join(folder, elsewhere), line('elsewhere'));
    const log = new Log();
    const recorder = start(log);
    await waited();
    await writeFile(join(folder, fileOf(ownerOf(999_999_999))), `${line('a')}${line('b')}{"torn":`);
    await writeFile(join(folder, fileOf(`${ownerOf(process.pid).slice(0, -8)}00000000`)), line('c'));
    await until(() => log.ids().length === 3);
    expect(log.ids().sort()).toEqual(['a', 'b', 'c']);
    expect((await readdir(folder)).sort()).toEqual([elsewhere, living].sort());
    await utimes(join(folder, elsewhere), 0, Date.now() / 1000 - SILENT_MS / 1000);
    await until(() => log.ids().length === 4);
    await recorder.close();
    expect(log.ids()).toContain('elsewhere');
    expect(await readdir(folder)).toEqual([living]);
  });

  it('puts only those aside that can never be sent', async () => {
    const bad = ['b', 'd'];
    await writeFile(join(folder, fileOf(ownerOf(999_999_999))), line('a', 'b', 'c', 'd', 'e'));
    const log = new Log();
    log.refuses = ({ subject }) =>
      subject === 'b' ? new RangeError('no id') : subject === 'd' ? new HitTooLarge('large') : undefined;
    const recorder = start(log);
    await until(() => log.ids().length === 3);
    await recorder.close();
    expect(log.ids()).toEqual(['a', 'c', 'e']);
    const [aside = '', ...others] = await readdir(folder);
    expect([aside.endsWith('.refused'), others]).toEqual([true, []]);
    const lines = (await readFile(join(folder, aside), 'utf8')).trim().split('\n');
    expect(lines.map((text) => (JSON.parse(text) as Click).subject)).toEqual(bad);
  });

  const databaseError = (code: string) => Object.assign(new Error(code), { severity: 'ERROR', code });

  it.each([
    ['its database is gone', databaseError('3D000')],
    ['it does not let us in', databaseError('28P01')],
    ['nobody knows why', new TypeError('a slip')],
  ])('keeps what the log does not take while %s, and sends all of it in the end', async (_, error) => {
    await writeFile(join(folder, fileOf(ownerOf(999_999_999))), line('a', 'b'));
    const log = new Log();
    log.refuses = () => error;
    const recorder = start(log);
    recorder.add(click('c'));
    await until(() => log.asked > 3);
    log.refuses = () => undefined;
    await until(() => log.ids().length === 3);
    await recorder.close();
    expect([log.ids().sort(), await readdir(folder)]).toEqual([['a', 'b', 'c'], []]);
  });

  it('sends what comes after a file that cannot be read', async () => {
    await mkdir(join(folder, fileOf(ownerOf(999_999_998))));
    await writeFile(join(folder, fileOf(ownerOf(999_999_999))), line('a'));
    const log = new Log();
    const recorder = start(log);
    await until(() => log.ids().length === 1);
    await recorder.close();
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('puts lines aside that are none, and data the database refuses, but not its neighbours', async () => {
    const broken = ['null', '{"batch":"a","clicks":[null]}', '{"taken', '{"clicks":[]}'];
    await writeFile(
      join(folder, fileOf(ownerOf(999_999_999))),
      `${line('a')}${broken.join('\n')}\n${line('b', 'c')}${line('d')}`,
    );
    const log = new Log();
    log.refuses = ({ subject }) => (subject === 'b' ? databaseError('22P05') : undefined);
    const recorder = start(log);
    await until(async () => (await readdir(folder)).join().endsWith('.refused'));
    await recorder.close();
    expect(log.ids().sort()).toEqual(['a', 'c', 'd']);
    const [aside = ''] = await readdir(folder);
    const lines = (await readFile(join(folder, aside), 'utf8')).trim().split('\n');
    expect([...lines.slice(0, -1), nameOf(JSON.parse(lines.at(-1) ?? '') as Click)]).toEqual([...broken, 'b']);
    expect(quiet.error).toHaveBeenCalledWith({ lines: 5 }, expect.stringContaining('put aside'));
  });

  it('waits at its end for clicks that are still being made', async () => {
    const log = new Log();
    const recorder = start(log);
    recorder.add(waited().then(() => click('a')));
    await recorder.close();
    expect(log.ids()).toEqual(['a']);
  });

  it('does not wait at its end for a replay that never ends', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    await writeFile(join(folder, fileOf(ownerOf(999_999_999))), line('a'));
    const log = new Log();
    log.slow = true;
    const recorder = start(log);
    await turnsUntil(() => log.asked > 0);
    let closed = false;
    void recorder.close().then(() => (closed = true));
    await turnsUntil(() => closed);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('keeps what cannot be sent when it ends', async () => {
    const log = new Log();
    log.away = true;
    const recorder = start(log);
    recorder.add(click('a'));
    await recorder.close();
    expect(await readdir(folder)).toHaveLength(1);
  });
});

/** A log that takes each id once, unless it is away or slow. */
class Log {
  readonly taken: string[][] = [];
  readonly dedupes: string[] = [];
  away = false;
  slow = false;
  asked = 0;
  refuses: (hit: Hit) => Error | undefined = () => undefined;
  release: () => void = () => undefined;

  async send(hits: readonly Hit[]): Promise<SendResult> {
    this.asked++;
    if (this.away) throw new LogUnavailable('away');
    if (this.slow) await new Promise<void>((resolve) => (this.release = resolve));
    this.slow = false;
    for (const error of hits.map(this.refuses)) if (error !== undefined) throw error;
    const fresh = hits.filter((hit) => !this.ids().includes(nameOf(hit)));
    if (fresh.length > 0) this.taken.push(fresh.map(nameOf));
    this.dedupes.push(...hits.map(({ dedupe }) => dedupe));
    return { outcomes: hits.map((hit) => (fresh.includes(hit) ? 'stored' : 'duplicate')), positions: new Map() };
  }

  ids = (): string[] => this.taken.flat();
}

const fileOf = (owner: string): string => `clicks-${owner}-1-000001.ndjson`;

const nameOf = ({ subject }: Click): string => subject;

const click = (name: string): Click => ({
  subject: name,
  event: {
    type: 'LinkClicked',
    id: randomEventId(1),
    at: 1,
    receivedAt: 1,
    data: {
      organizationId: 'org_1',
      linkId: name,
      visitorId: null,
      referrer: null,
      utm: null,
      country: null,
      region: null,
      city: null,
      browser: null,
      browserVersion: null,
      os: null,
      device: 'other',
    },
  },
});

const line = (...names: readonly string[]): string => lineOf(together(names.map(click)));

const quiet = { error: jest.fn(), warn: jest.fn(), info: jest.fn() };

const waited = () => new Promise((resolve) => setTimeout(resolve, 10));

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await waited();
}

/** Lets faked time pass, and real work on files be done. */
async function turnsUntil(holds: () => boolean): Promise<void> {
  while (!holds()) {
    jest.advanceTimersByTime(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
