import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import { SETTINGS } from '../tokens';
import type { Mail } from './mail-delivery';
import type { Person } from './people';

const KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * The mails of an installation without a mail server, a file for each, named so that they sort by time. They are deleted
 * after a week, or when their person is erased.
 */
@Injectable()
export class MailFiles {
  private readonly folder: string;

  constructor(@Inject(SETTINGS) { dataDir }: Pick<Settings, 'dataDir'>) {
    this.folder = join(dataDir, 'mails');
  }

  /** The path of the file. */
  async write({ to, subject, text, userId }: Mail): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = join(this.folder, `${newUlid()}.txt`);
    const head = [toLine(to), ...(userId === undefined ? [] : [accountLine(userId)]), `Subject: ${subject}`];
    await writeFile(file, `${head.join('\n')}\n\n${text}\n`, { mode: 0o600, flag: 'wx' });
    return file;
  }

  /** Deletes what was sent to an address. */
  removeTo(email: string): Promise<void> {
    return this.removeWith([toLine(email)]);
  }

  /** Deletes what was sent to a person, also to an earlier address of the account. */
  removeOf({ id, email }: Pick<Person, 'id' | 'email'>): Promise<void> {
    return this.removeWith([toLine(email), accountLine(id)]);
  }

  /** Deletes what is older than a week, and returns its number. */
  async sweep(now: Date): Promise<number> {
    const files = await this.files();
    const ages = await Promise.all(files.map(async (file) => now.getTime() - (await writtenAt(file))));
    const old = files.filter((_, at) => (ages[at] ?? 0) > KEPT_MS);
    await Promise.all(old.map((file) => rm(file, { force: true })));
    return old.length;
  }

  private async removeWith(lines: readonly string[]): Promise<void> {
    for (const file of await this.files()) {
      const [head = ''] = (await readFile(file, 'utf8').catch(ifGone(''))).split('\n\n', 1);
      if (head.split('\n').some((line) => lines.includes(line))) await rm(file, { force: true });
    }
  }

  private async files(): Promise<string[]> {
    const names = await readdir(this.folder).catch(ifGone<string[]>([]));
    return names.map((name) => join(this.folder, name));
  }
}

const writtenAt = (file: string): Promise<number> => stat(file).then(({ mtimeMs }) => mtimeMs, ifGone(Infinity));

/** Another process may delete the same files. */
const ifGone =
  <T>(otherwise: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  };

/** Addresses are compared without regard to case. */
const toLine = (email: string): string => `To: ${email.toLowerCase()}`;

const accountLine = (userId: string): string => `Account: ${userId}`;
