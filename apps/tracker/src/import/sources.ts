import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { glob, isDynamicPattern } from 'tinyglobby';

/** A file to be imported, or what is piped in. */
export interface Source {
  /** As in messages. */
  readonly name: string;
  /** undefined = unknown, as that of a pipe. */
  readonly bytes: number | undefined;
  readonly open: () => Readable;
}

const STDIN = '-';

/**
 * The sources that arguments name: files, patterns such as `logs/*.gz`, and `-`. An absent one of several is reported to
 * `warn`, as it may just have been rotated away.
 * @throws StartFailure for folders, and where there is nothing to import at all
 */
export async function findSources(
  names: readonly string[],
  stdin: Readable & { readonly fd?: number },
  warn: (text: string) => void,
): Promise<readonly Source[]> {
  const found = new Map<string, Source>();
  const absent: string[] = [];
  for (const name of names) {
    const sources = name === STDIN ? [stdinSource(stdin)] : await filesOf(name);
    if (sources.length === 0)
      absent.push(isDynamicPattern(name) ? `No file matches ${name}.` : `There is no file ${name}.`);
    for (const source of sources) found.set(source.name, source);
  }
  if (found.size === 0) throw new StartFailure(absent.join('\n'));
  absent.forEach(warn);
  return [...found.values()];
}

async function filesOf(name: string): Promise<readonly Source[]> {
  const file = await statOf(name);
  if (file?.isDirectory()) throw new StartFailure(`${name} is a folder; name the files in it.`);
  if (file) return [fileSource(name, file)];
  const paths = isDynamicPattern(name)
    ? await glob(name, { absolute: isAbsolute(name), expandDirectories: false })
    : [];
  const sorted = paths.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return Promise.all(sorted.map(async (path) => fileSource(path, await statOf(path))));
}

const fileSource = (path: string, file: Stats | undefined): Source => ({
  name: path,
  bytes: file?.isFile() ? file.size : undefined,
  open: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
});

const stdinSource = (stdin: Readable & { readonly fd?: number }): Source => {
  const file = stdin.fd === undefined ? undefined : fstatSync(stdin.fd);
  return { name: 'stdin', bytes: file?.isFile() ? file.size : undefined, open: () => stdin };
};

const statOf = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);
