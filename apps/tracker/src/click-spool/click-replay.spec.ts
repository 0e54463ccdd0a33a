import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HitTooLarge } from '@ledgerline/platform/intake-log/intake-log';
import { fileOf, filesOnDisk, leftFile, line, Log, nameOf } from '@test/tracker/clicks.fixture';
import { waitUntil } from '@test/wait-until';
import { ClickReplay } from './click-replay';
import { ClickSpool } from './click-spool';
import { ownerOf, SILENT_MS, clickHits, parseBatch, type SpooledClick } from './spool-file';

describe('the replay of spooled clicks', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(async () => {
    jest.clearAllMocks();
    jest.useRealTimers();
    await rm(folder, { recursive: true });
  });

  const start = (log: Log) => new ClickReplay(log, new ClickSpool(folder, 1024 * 1024), quiet);

  it('takes over what processes that died have left, whenever they died, and nothing of those that live', async () => {
    const owner = ownerOf(process.ppid);
    const living = fileOf(owner);
    const elsewhere = fileOf(`00000000${owner.slice(8)}`);
    await writeFile(join(folder, living), line('living'));
    await writeFile(join(folder, elsewhere), line('elsewhere'));
    await utimes(join(folder, elsewhere), 0, Date.now() / 1000 + 3600); // so that a slow run does not make it silent
    await writeFile(join(folder, fileOf(ownerOf(999_999_998))), line('before'));
    const log = new Log();
    const replay = start(log);
    await waitUntil(() => log.ids().includes('before'));
    await writeFile(join(folder, leftFile()), `${line('a')}${line('b')}{"torn":`);
    await writeFile(join(folder, fileOf(`${ownerOf(process.pid).slice(0, -8)}00000000`)), line('c'));
    await waitUntil(() => log.ids().length === 4);
    expect(log.ids().sort()).toEqual(['a', 'b', 'before', 'c']);
    expect(await filesOnDisk(folder)).toEqual([elsewhere, living].sort());
    await utimes(join(folder, elsewhere), 0, Date.now() / 1000 - SILENT_MS / 1000);
    await waitUntil(() => log.ids().length === 5);
    await replay.close();
    expect(log.ids()).toContain('elsewhere');
    expect(await filesOnDisk(folder)).toEqual([living]);
  });

  it('sends the files of a process that was killed whole, and what the log has already counts once', async () => {
    const batches = [line('a'), line('b')] as const;
    const log = new Log();
    await log.send(clickHits(parseBatch(batches[0])!, '48h'));
    await writeFile(join(folder, leftFile()), batches.join(''));
    const replay = start(log);
    await waitUntil(() => log.ids().length === 2);
    await replay.close();
    expect([log.ids(), log.sent, await filesOnDisk(folder)]).toEqual([['a', 'b'], ['a', 'a', 'b'], []]);
  });

  it('puts only those aside that can never be sent', async () => {
    const bad = ['b', 'd'];
    await writeFile(join(folder, leftFile()), line('a', 'b', 'c', 'd', 'e'));
    const log = new Log();
    log.refuses = ({ subject }) =>
      subject === 'b' ? new RangeError('no id') : subject === 'd' ? new HitTooLarge('large') : undefined;
    const replay = start(log);
    await waitUntil(() => log.ids().length === 3);
    await replay.close();
    expect(log.ids()).toEqual(['a', 'c', 'e']);
    const [aside = '', ...others] = await filesOnDisk(folder);
    expect([aside.endsWith('.refused'), others]).toEqual([true, []]);
    const lines = (await readFile(join(folder, aside), 'utf8')).trim().split('\n');
    expect(lines.map((text) => (JSON.parse(text) as SpooledClick).subject)).toEqual(bad);
  });

  it.each([
    ['its database is gone', databaseError('3D000')],
    ['it does not let us in', databaseError('28P01')],
    ['the reason is unknown', new TypeError('a slip')],
  ])('keeps what the log does not take while %s, logs it once, and sends all of it in the end', async (_, error) => {
    await writeFile(join(folder, leftFile()), line('a', 'b'));
    const log = new Log();
    log.refuses = () => error;
    const replay = start(log);
    await waitUntil(() => log.asked > 1);
    expect(quiet.error.mock.calls).toEqual([[{ err: error }, expect.stringContaining('stay on disk')]]);
    log.refuses = () => undefined;
    await waitUntil(() => log.ids().length === 2);
    await replay.close();
    expect([log.ids(), await filesOnDisk(folder)]).toEqual([['a', 'b'], []]);
  });

  it('sends what comes after a file that cannot be read', async () => {
    await mkdir(join(folder, fileOf(ownerOf(999_999_998))));
    await writeFile(join(folder, leftFile()), line('a'));
    const log = new Log();
    const replay = start(log);
    await waitUntil(() => log.ids().length === 1);
    await replay.close();
    expect(await filesOnDisk(folder)).toHaveLength(1);
  });

  it('puts lines aside that are none, and data the database refuses, but not its neighbours', async () => {
    const broken = ['null', '{"batch":"a","clicks":[null]}', '{"taken', '{"clicks":[]}'];
    await writeFile(join(folder, leftFile()), `${line('a')}${broken.join('\n')}\n${line('b', 'c')}${line('d')}`);
    const log = new Log();
    log.refuses = ({ subject }) => (subject === 'b' ? databaseError('22P05') : undefined);
    const replay = start(log);
    await waitUntil(async () => (await filesOnDisk(folder)).join().endsWith('.refused'));
    await replay.close();
    expect(log.ids().sort()).toEqual(['a', 'c', 'd']);
    const [aside = ''] = await filesOnDisk(folder);
    const lines = (await readFile(join(folder, aside), 'utf8')).trim().split('\n');
    expect([...lines.slice(0, -1), nameOf(JSON.parse(lines.at(-1) ?? '') as SpooledClick)]).toEqual([...broken, 'b']);
    expect(quiet.error).toHaveBeenCalledWith({ lines: 5 }, expect.stringContaining('put aside'));
  });

  it('does not wait at its end for a replay that never ends', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    await writeFile(join(folder, leftFile()), line('a'));
    const log = new Log();
    log.slow = true;
    const replay = start(log);
    await turnsUntil(() => log.asked > 0);
    let closed = false;
    void replay.close().then(() => (closed = true));
    await turnsUntil(() => closed);
    expect(await filesOnDisk(folder)).toHaveLength(1);
  });
});

const quiet = { error: jest.fn(), warn: jest.fn(), info: jest.fn() };

function databaseError(code: string): Error {
  return Object.assign(new Error(code), { severity: 'ERROR', code });
}

/** Lets faked time pass, and real work on files be done. */
const turnsUntil = (holds: () => boolean) =>
  waitUntil(() => {
    jest.advanceTimersByTime(100);
    return holds();
  });
