import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallDisk } from '@test/reliability/faults/small-disk';
import { click, clicksOnDisk, filesOnDisk, Log } from '@test/tracker/clicks.fixture';
import { waitUntil } from '@test/wait-until';
import { ClickRecorder, checkSpool } from './click-recorder';
import { ClickSpool } from './click-spool';

describe('the recorder of clicks', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const start = async (log: Log, policy: 'refuse' | 'redirect' = 'refuse') => {
    const recorder = new ClickRecorder(log, new ClickSpool(folder, 1024 * 1024), quiet, policy);
    await recorder.open();
    return recorder;
  };

  const spooled = () => clicksOnDisk(folder);

  it('sends what comes together as one batch', async () => {
    const log = new Log();
    const recorder = await start(log);
    for (const id of ['a', 'b', 'c']) void recorder.add(click(id));
    await recorder.close();
    expect(log.taken).toEqual([['a', 'b', 'c']]);
    expect(await filesOnDisk(folder)).toEqual([]);
  });

  it('spools while the log is away, and sends everything once it is back', async () => {
    const log = new Log();
    log.away = true;
    const recorder = await start(log);
    void recorder.add(click('a'));
    await waitUntil(() => log.sent.includes('a'));
    void recorder.add(click('b'));
    await waitUntil(() => log.sent.includes('b'));
    log.away = false;
    await waitUntil(() => log.ids().length === 2);
    expect(log.ids().sort()).toEqual(['a', 'b']);
    expect(log.dedupes.at(-1)).toBe('forever');
    await waitUntil(async () => (await filesOnDisk(folder)).length === 0);
    void recorder.add(click('c'));
    await recorder.close();
    expect(log.ids().sort()).toEqual(['a', 'b', 'c']);
  });

  it('has a click on disk before it is sent, and until the log has it, and sends it once', async () => {
    const log = new Log();
    log.slow = true;
    const recorder = await start(log);
    void recorder.add(click('a'));
    await waitUntil(() => log.asked === 1);
    void recorder.add(click('b'));
    await waitUntil(async () => (await spooled()).length === 2);
    expect(await spooled()).toEqual(['a', 'b']);
    log.release();
    await waitUntil(async () => (await filesOnDisk(folder)).length === 0);
    await recorder.close();
    expect([log.taken, log.dedupes, log.asked]).toEqual([[['a'], ['b']], ['48h', '48h'], 2]);
  });

  /** One whose disk takes nothing. */
  const startWithoutDisk = async (log: Log, policy: 'refuse' | 'redirect') => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'no folder');
    return new ClickRecorder(log, new ClickSpool(folder, 1024 * 1024), quiet, policy);
  };

  it('answers for a click without room on disk when the log has it, or that it has not', async () => {
    const log = new Log();
    const recorder = await startWithoutDisk(log, 'refuse');
    log.slow = true;
    const first = recorder.add(click('a'));
    expect(first).not.toBe(true);
    await waitUntil(() => log.sent.length === 1);
    log.release();
    expect([await first, log.ids()]).toEqual([true, ['a']]);
    log.away = true;
    expect(await recorder.add(click('b'))).toBe(false);
    expect(recorder.unrecorded).toEqual({ refused: 1, lost: 0 });
    await recorder.close();
    expect(quiet.error).toHaveBeenCalledWith({ clicks: 1 }, expect.stringContaining('answered 503'));
    expect(log.ids()).toEqual(['a']);
  });

  it('counts what is lost where links are followed without a record', async () => {
    const log = new Log();
    const recorder = await startWithoutDisk(log, 'redirect');
    expect(recorder.add(click('a'))).toBe(true);
    await waitUntil(() => log.ids().length === 1);
    log.away = true;
    expect(recorder.add(click('b'))).toBe(true);
    await recorder.close();
    expect([log.ids(), recorder.unrecorded]).toEqual([['a'], { refused: 0, lost: 1 }]);
    expect(quiet.error).toHaveBeenCalledWith({ clicks: 1 }, expect.stringContaining('lost'));
  });

  it('keeps a click in memory whose disk failed after its redirect, until the log or the disk takes it', async () => {
    const log = new Log();
    log.away = true;
    const recorder = await start(log);
    await rm(folder, { recursive: true });
    expect(recorder.add(click('a'))).toBe(true);
    await waitUntil(async () => (await clicksOnDisk(folder).catch(() => [])).length === 1);
    await waitUntil(() => recorder.holdsClicks);
    log.away = false;
    await waitUntil(() => log.ids().length === 1);
    await waitUntil(() => !recorder.holdsClicks);
    await recorder.close();
    expect([log.ids(), recorder.unrecorded]).toEqual([['a'], { refused: 0, lost: 0 }]);
  });

  it('keeps what cannot be sent when it ends', async () => {
    const log = new Log();
    log.away = true;
    const recorder = await start(log);
    void recorder.add(click('a'));
    await recorder.close();
    expect(await filesOnDisk(folder)).toHaveLength(1);
  });
});

const quiet = { error: jest.fn(), warn: jest.fn(), info: jest.fn() };

describe('the check of the spool', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const checkOf = (state: { readonly failing?: string; readonly isLosing?: boolean } = {}) =>
    checkSpool({ state: () => ({ room: 1_000, isLosing: false, ...state }), holdsClicks: false }, folder).check();

  it('succeeds while clicks have room', () => checkOf());

  it('fails while the disk takes none', () =>
    expect(checkOf({ failing: 'EIO' })).rejects.toThrow('The disk takes no clicks (EIO).'));

  it('fails while clicks cannot be recorded', () =>
    expect(checkOf({ isLosing: true })).rejects.toThrow('The intake log takes no clicks'));

  it('fails while its disk is full', async () => {
    const disk = SmallDisk.at(folder);
    if (!disk) return; // only root can mount one
    try {
      await checkOf();
      disk.fill();
      await expect(checkOf()).rejects.toThrow('Its disk has 0 KB left.');
      disk.empty();
      await checkOf();
    } finally {
      disk.unmount();
    }
  });
});
