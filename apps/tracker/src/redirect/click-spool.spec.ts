import { copyFile, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickSpool } from './click-spool';
import { clicksIn, together, type Click, type Clicks } from './clicks';
import { leftFile } from '../../../../test/tracker/clicks.fixture';

describe('the spool of clicks', () => {
  let folder: string;
  let spool: ClickSpool;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'));
    spool = new ClickSpool(folder, 1_000_000);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await spool.close();
    await rm(folder, { recursive: true });
  });

  const left = async (name: string) => {
    spool.leave(await spool.append(batch(name)));
  };

  const replayed = async (): Promise<string[]> => {
    const names: string[] = [];
    await spool.replay((lines) => {
      names.push(...lines.flatMap((line) => clicksIn(line)?.clicks.map(({ subject }) => subject) ?? []));
      return Promise.resolve([]);
    });
    return names;
  };

  it('gives back what it was given, once', async () => {
    await Promise.all([left('a'), left('b')]);
    expect([spool.hasLeft, await replayed()]).toEqual([true, ['a', 'b']]);
    expect([spool.hasLeft, await replayed(), await readdir(folder)]).toEqual([false, [], []]);
  });

  const both = async () => {
    const batches = [batch('a'), batch('b')] as const;
    const [file] = await Promise.all(batches.map((each) => spool.append(each)));
    if (file === undefined) throw new Error('no file');
    return { file, a: batches[0].batch, b: batches[1].batch };
  };

  it('forgets a file when all of it was delivered, without a replay', async () => {
    const { file, a, b } = await both();
    await spool.delivered(file, [a]);
    await spool.adopt();
    expect([await readdir(folder), spool.hasLeft, await replayed()]).toEqual([[expect.anything()], false, []]);
    await spool.delivered(file, [b]);
    await spool.adopt();
    expect(await readdir(folder)).toEqual([]);
  });

  it('replays what was not delivered, and not what was delivered along with it', async () => {
    const { file, a } = await both();
    await spool.delivered(file, [a]);
    spool.leave(file);
    expect(await replayed()).toEqual(['b']);
  });

  it('does not replay what a process had delivered before it was killed, however long ago', async () => {
    const { file, a } = await both();
    await spool.delivered(file, [a]);
    const [name = ''] = await readdir(folder);
    await copyFile(join(folder, name), join(folder, leftFile()));
    await spool.adopt();
    expect(await replayed()).toEqual(['b']);
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

  it('never glues a click to the torn note of what was delivered', async () => {
    const { file, a } = await both();
    await onWrite((write) => async (data) => {
      await write(data.subarray(0, 10));
      throw new Error('no space left');
    });
    await expect(spool.delivered(file, [a])).rejects.toThrow('no space left');
    jest.restoreAllMocks();
    await left('c');
    spool.leave(file);
    expect(await replayed()).toEqual(['a', 'b', 'c']);
  });

  it('never closes a file between its writing and its safety', async () => {
    let replaying: Promise<string[]> | undefined;
    await onWrite((write) => async (data) => {
      replaying ??= replayed();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await write(data);
    });
    await Promise.all([left('a'), left('b')]);
    const first = await replaying;
    expect([...(first ?? []), ...(await replayed())]).toEqual(['a', 'b']);
  });

  it('writes a click again when its file was taken over by somebody who took us for dead', async () => {
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

const batch = (subject: string): Clicks =>
  together([{ subject, event: { type: 'LinkClicked', id: subject } } as Click]);
