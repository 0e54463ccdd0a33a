import { mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hit } from '@ledgerline/platform/intake-log/intake-log';
import { ClickSpool } from './click-spool';

describe('the spool of clicks', () => {
  let folder: string;
  let spool: ClickSpool;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-spool-'));
    spool = new ClickSpool(folder, 1_000_000, { error: jest.fn() });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await spool.close();
    await rm(folder, { recursive: true });
  });

  const replayed = async (): Promise<string[]> => {
    const names: string[] = [];
    await spool.replay((hits) => {
      names.push(...hits.map(({ subject }) => subject));
      return Promise.resolve([]);
    });
    return names;
  };

  it('gives back what it was given, once', async () => {
    await Promise.all([spool.append([click('a')]), spool.append([click('b')])]);
    expect(await replayed()).toEqual(['a', 'b']);
    expect([spool.isEmpty, await replayed(), await readdir(folder)]).toEqual([true, [], []]);
  });

  it('never glues a click to the torn line of a write that failed', async () => {
    await onWrite((write) => async (data) => {
      await write(data.subarray(0, 10));
      throw new Error('no space left');
    });
    await expect(spool.append([click('torn')])).rejects.toThrow('no space left');
    jest.restoreAllMocks();
    await spool.append([click('b')]);
    expect(await replayed()).toEqual(['b']);
  });

  it('never closes a file between its writing and its safety', async () => {
    let replaying: Promise<string[]> | undefined;
    await onWrite((write) => async (data) => {
      replaying ??= replayed();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await write(data);
    });
    await Promise.all([spool.append([click('a')]), spool.append([click('b')])]);
    const first = await replaying;
    expect([...(first ?? []), ...(await replayed())]).toEqual(['a', 'b']);
  });

  it('writes a click again when its file was taken over by somebody who took us for dead', async () => {
    await spool.append([click('a')]);
    const [name = ''] = await readdir(folder);
    await rename(join(folder, name), join(folder, 'taken'));
    await spool.append([click('b')]);
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

const click = (subject: string): Hit => ({ subject, dedupe: '48h', event: { type: 'LinkClicked' } }) as Hit;
