import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickRecorder } from './click-recorder';
import { ClickSpool } from './click-spool';
import { parseBatch } from './spool-file';
import { click, Log, nameOf } from '@test/tracker/clicks.fixture';
import { waitUntil } from '@test/wait-until';

describe('the recorder of clicks', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const start = (log: Log, maxBytes = 1_000_000) => new ClickRecorder(log, new ClickSpool(folder, maxBytes), quiet);

  const spooled = async () => {
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    return files.flatMap((text) => text.split('\n').flatMap((each) => parseBatch(each)?.clicks.map(nameOf) ?? []));
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
    await waitUntil(() => log.sent.includes('a'));
    recorder.add(click('b'));
    await waitUntil(() => log.sent.includes('b'));
    log.away = false;
    await waitUntil(() => log.ids().length === 2);
    expect(log.ids().sort()).toEqual(['a', 'b']);
    expect(log.dedupes.at(-1)).toBe('forever');
    await waitUntil(async () => (await readdir(folder)).length === 0);
    recorder.add(click('c'));
    await recorder.close();
    expect(log.ids().sort()).toEqual(['a', 'b', 'c']);
  });

  it('has a click on disk before it is sent, and until the log has it, and sends it once', async () => {
    const log = new Log();
    log.slow = true;
    const recorder = start(log);
    recorder.add(click('a'));
    await waitUntil(() => log.asked === 1);
    recorder.add(click('b'));
    await waitUntil(async () => (await spooled()).length === 2);
    expect(await spooled()).toEqual(['a', 'b']);
    log.release();
    await waitUntil(async () => (await readdir(folder)).length === 0);
    await recorder.close();
    expect([log.taken, log.dedupes, log.asked]).toEqual([[['a'], ['b']], ['48h', '48h'], 2]);
  });

  it('sends what cannot be written to disk, and logs what is lost when that fails too', async () => {
    const log = new Log();
    const recorder = start(log, 10);
    recorder.add(click('a'));
    await waitUntil(() => log.ids().length === 1);
    log.away = true;
    recorder.add(click('b'));
    await recorder.close();
    expect([log.ids(), await readdir(folder)]).toEqual([['a'], []]);
    expect(quiet.error).toHaveBeenCalledWith({ clicks: 1 }, expect.stringContaining('lost'));
  });

  it('keeps so many in memory where the disk takes none, and logs what is lost beyond', async () => {
    quiet.error.mockClear();
    const log = new Log();
    log.slow = true;
    const recorder = start(log, 10);
    recorder.add(click('first'));
    await waitUntil(() => log.sent.length === 1);
    for (let n = 0; n <= 20_000; n++) recorder.add(click('many'));
    await waitUntil(() => log.sent.length === 20_002);
    recorder.add(click('late'));
    await waitUntil(() => quiet.error.mock.calls.length === 2);
    log.release();
    await recorder.close();
    expect([log.ids().length, log.ids().includes('late')]).toEqual([20_002, false]);
    expect(quiet.error.mock.calls).toEqual([
      [{ err: expect.any(Error) as unknown }, expect.stringContaining('wait in memory')],
      [{ clicks: 1 }, expect.stringContaining('lost')],
    ]);
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

const quiet = { error: jest.fn(), warn: jest.fn(), info: jest.fn() };
