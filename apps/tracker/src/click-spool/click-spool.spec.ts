import { mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickSpool } from './click-spool';
import { newBatch, parseBatch, type Click, type ClickBatch } from './spool-file';

describe('the spool of clicks', () => {
  let folder: string;
  let spool: ClickSpool;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'));
    spool = new ClickSpool(folder, 1_000_000);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await spool.rotate();
    await rm(folder, { recursive: true });
  });

  const left = async (name: string) => {
    await spool.leave(await spool.append(batch(name)));
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
    expect([spool.needsReplay, await replayed(), await readdir(folder)]).toEqual([false, [], []]);
  });

  const both = async () => {
    const file = await spool.append(batch('a'));
    expect(await spool.append(batch('b'))).toBe(file);
    return file;
  };

  it('deletes a file when all of it is acknowledged, without a replay', async () => {
    const file = await both();
    await spool.acknowledge(file);
    await spool.rotate();
    expect([await readdir(folder), spool.needsReplay, await replayed()]).toEqual([[expect.anything()], false, []]);
    await spool.acknowledge(file);
    expect(await readdir(folder)).toEqual([]);
  });

  it('replays a file whole when any of it was not acknowledged, but not before nothing of it is being sent', async () => {
    const file = await both();
    await spool.leave(file);
    expect(await replayed()).toEqual([]);
    await spool.acknowledge(file);
    expect([await replayed(), await readdir(folder)]).toEqual([['a', 'b'], []]);
  });

  it('takes no more than its share of the disk', async () => {
    const small = new ClickSpool(folder, 10);
    await expect(small.append(batch('a'))).rejects.toThrow('full');
  });

  it('never glues a click to the torn line of a write that failed', async () => {
    await onWrite((write) => async (data) => {
      await write(data.subarray(0, 10));
      throw new Error('no space left');
    });
    await expect(spool.append(batch('torn'))).rejects.toThrow('no space left');
    jest.restoreAllMocks();
    await left('b');
    expect(await replayed()).toEqual(['b']);
  });

  it('never gives up a file for the torn line behind what it holds', async () => {
    const file = await spool.append(batch('a'));
    await onWrite(() => () => Promise.reject(new Error('no space left')));
    await expect(spool.append(batch('torn'))).rejects.toThrow('no space left');
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
    const [name = ''] = await readdir(folder);
    await rename(join(folder, name), join(folder, 'taken'));
    await left('b');
    expect(await replayed()).toEqual(['b']);
  });
});

type Write = (data: Buffer) => Promise<void>;

/** Stands between the spool and its files. */
async function onWrite(stand: (write: Write) => Write): Promise<void> {
  const any = await open(__filename, 'r');
  await any.close();
  const handles = Object.getPrototypeOf(any) as { writeFile: Write };
  const write = handles.writeFile;
  jest.spyOn(handles, 'writeFile').mockImplementation(function (this: unknown, data) {
    return stand((bytes) => write.call(this, bytes))(data);
  });
}

const batch = (subject: string): ClickBatch =>
  newBatch([{ subject, event: { type: 'LinkClicked', id: subject } } as Click]);
