import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clicksOnDisk, line } from '@test/tracker/clicks.fixture';
import { ClickSpool } from './click-spool';
import { parseBatch, SpoolFile } from './spool-file';

describe('the spool of clicks', () => {
  let folder: string;
  let spool: ClickSpool;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'));
    spool = new ClickSpool(folder, ROOM);
    await spool.refresh();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await spool.close();
    await rm(folder, { recursive: true });
  });

  const left = async (text: string, reserved = 0) => {
    await spool.leave(await spool.append(text.endsWith('\n') ? Buffer.from(text) : linesOf(text), reserved));
  };

  const replayed = async (): Promise<string[]> => {
    const names: string[] = [];
    await spool.rotate();
    await spool.replay((lines) => {
      names.push(...lines.flatMap((line) => parseBatch(line)?.clicks.map(({ subject }) => subject) ?? []));
      return Promise.resolve([]);
    });
    return names;
  };

  it('gives back what it was given, once', async () => {
    await left('a');
    await left('b');
    expect([spool.needsReplay, await replayed()]).toEqual([true, ['a', 'b']]);
    expect([spool.needsReplay, await replayed(), await clicksOnDisk(folder)]).toEqual([false, [], []]);
  });

  const both = async () => {
    const file = await spool.append(linesOf('a'));
    expect(await spool.append(linesOf('b'))).toBe(file);
    return file;
  };

  it('empties a file when all of it is acknowledged, without a replay', async () => {
    const file = await both();
    await spool.acknowledge(file);
    await spool.rotate();
    expect([await clicksOnDisk(folder), spool.needsReplay, await replayed()]).toEqual([['a', 'b'], false, []]);
    await spool.acknowledge(file);
    expect([await clicksOnDisk(folder), await readdir(folder)]).toEqual([[], [expect.anything(), expect.anything()]]);
  });

  it('replays a file whole when any of it was not acknowledged, but not before nothing of it is being sent', async () => {
    const file = await both();
    await spool.leave(file);
    expect(await replayed()).toEqual([]);
    await spool.acknowledge(file);
    expect([await replayed(), await clicksOnDisk(folder)]).toEqual([['a', 'b'], []]);
  });

  it('has blocks on disk for the room it names, and not less when files are used again', async () => {
    const { room } = spool.state();
    expect(room).toBeGreaterThan(ROOM / 2);
    for (let n = 0; n < 5; n++) {
      await spool.acknowledge(await spool.append(linesOf('a')));
      await spool.rotate();
      await spool.refresh();
      expect(spool.state()).toEqual({ room });
      const blocks = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
      expect(blocks.reduce((sum, file) => sum + file.blocks * 512, 0)).toBeGreaterThanOrEqual(ROOM);
    }
  });

  it('sets no more aside than fits, however the lines fall', async () => {
    const long = Buffer.from(line('x'.repeat(25_000)));
    let lines = 0;
    while (spool.reserve(long.length)) lines++;
    for (let n = 0; n < lines; n++) await left(long.toString(), long.length);
    expect(lines).toBeGreaterThan(10);
    expect(await replayed()).toHaveLength(lines);
  });

  it('grows to four times its room while nothing is replayed, and is as large as before in the end', async () => {
    const long = line('x'.repeat(30_000));
    let lines = 0;
    for (; lines < 1_000 && spool.reserve(long.length); lines++) {
      await left(long, long.length);
      await spool.refresh();
    }
    expect(lines).toBeGreaterThan(45);
    expect(lines).toBeLessThan(70);
    expect(await replayed()).toHaveLength(lines);
    await spool.refresh();
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('leaves its room to the next process', async () => {
    await spool.close();
    const names = await readdir(folder);
    const allocated = jest.spyOn(SpoolFile, 'allocate');
    spool = new ClickSpool(folder, ROOM);
    await spool.refresh();
    expect(spool.state().room).toBeGreaterThan(ROOM / 2);
    expect([allocated.mock.calls.length, (await readdir(folder)).length]).toEqual([0, names.length]);
  });

  it('is made again where its folder was deleted', async () => {
    await rm(folder, { recursive: true });
    await expect(spool.append(linesOf('a'))).rejects.toThrow('full');
    expect(spool.state().room).toBe(0);
    await spool.refresh();
    await left('b');
    expect(await replayed()).toEqual(['b']);
  });

  it('never glues a click to the torn line of a write that failed', async () => {
    await onWrite((write) => async (data) => {
      await write(data.subarray(0, 10));
      throw new Error('no space left');
    });
    await expect(spool.append(linesOf('torn'))).rejects.toThrow('no space left');
    jest.restoreAllMocks();
    await left('b');
    expect(await replayed()).toEqual(['b']);
  });

  it('never gives up a file for the torn line behind what it holds', async () => {
    const file = await spool.append(linesOf('a'));
    await onWrite(() => () => Promise.reject(new Error('no space left')));
    await expect(spool.append(linesOf('torn'))).rejects.toThrow('no space left');
    jest.restoreAllMocks();
    await left('b');
    await spool.leave(file);
    expect(await replayed()).toEqual(['a', 'b']);
  });

  it('never closes a file between its writing and its safety', async () => {
    let replaying: Promise<string[]> | undefined;
    await onWrite((write) => async (data) => {
      replaying ??= replayed();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await write(data);
    });
    await left('a');
    await left('b');
    const first = await replaying;
    expect([...(first ?? []), ...(await replayed())]).toEqual(['a', 'b']);
  });

  it('writes a click again when its file was taken over by a process that took this one for dead', async () => {
    await left('a');
    for (const name of await readdir(folder)) await rename(join(folder, name), join(folder, `taken-${name}`));
    await spool.append(linesOf('lost')).catch(() => undefined);
    await spool.refresh();
    await left('b');
    expect(await replayed()).toEqual(['b']);
  });
});

type Write = (data: Buffer, offset: number, length: number, position: number) => Promise<{ bytesWritten: number }>;

/** Stands between the spool and its files. */
async function onWrite(
  stand: (write: (data: Buffer) => Promise<void>) => (data: Buffer) => Promise<void>,
): Promise<void> {
  const any = await open(__filename, 'r');
  await any.close();
  const handles = Object.getPrototypeOf(any) as { write: Write };
  const { write } = handles;
  jest.spyOn(handles, 'write').mockImplementation(async function (this: unknown, data, offset, length, position) {
    const some = (bytes: Buffer) => write.call(this, bytes, 0, bytes.length, position).then(() => undefined);
    await stand(some)(data.subarray(offset, offset + length));
    return { bytesWritten: length };
  });
}

const ROOM = 1024 * 1024;

const linesOf = (subject: string): Buffer => Buffer.from(line(subject));
