import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { findSources } from './sources';

const folder = temporaryFolder('sources');
const warnings: string[] = [];
const found = async (...names: string[]) => {
  const sources = await findSources(names, Readable.from([]), (text) => warnings.push(text));
  return sources.map(({ name, bytes }) => [name.replace(`${folder}/`, ''), bytes]);
};

beforeAll(async () => {
  await mkdir(join(folder, 'old'));
  for (const name of ['access.log', 'access.log.2.gz', 'access.log.10.gz', 'old/access.log', 'with [brackets].log'])
    await writeFile(join(folder, name), 'x');
});
afterEach(() => warnings.splice(0));

describe('what is imported', () => {
  it('are files, each once', async () =>
    expect(await found(join(folder, 'access.log'), join(folder, 'access.log'))).toEqual([['access.log', 1]]));

  it('are the files that a pattern matches, by number', async () =>
    expect(await found(join(folder, 'access.log*'))).toEqual([
      ['access.log', 1],
      ['access.log.2.gz', 1],
      ['access.log.10.gz', 1],
    ]));

  it('are files in folders that a pattern matches', async () =>
    expect(await found(join(folder, '**/access.log'))).toEqual([
      ['access.log', 1],
      ['old/access.log', 1],
    ]));

  it('is a file whose name looks like a pattern', async () =>
    expect(await found(join(folder, 'with [brackets].log'))).toEqual([['with [brackets].log', 1]]));

  it('is what is piped in, of unknown size', async () => expect(await found('-', '-')).toEqual([['stdin', undefined]]));

  it('lacks a file that was rotated away, which is a warning beside others', async () => {
    expect(await found(join(folder, 'access.log'), join(folder, 'gone'), join(folder, '*.zst'))).toHaveLength(1);
    expect(warnings).toEqual([`There is no file ${folder}/gone.`, `No file matches ${folder}/*.zst.`]);
  });

  it.each([
    ['absent', 'There is no file absent.'],
    ['absent/*.gz', 'No file matches absent/*.gz.'],
    [folder, `${folder} is a folder; name the files in it.`],
  ])('is not %s', (name, reason) => expect(found(name)).rejects.toThrow(reason));
});
