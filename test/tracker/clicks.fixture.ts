import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IntakeItem, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import {
  ignoreMissing,
  newBatch,
  parseBatch,
  lineOf,
  type SpooledClick,
  spoolFileName,
  ownerOf,
} from '../../apps/tracker/src/click-spool/spool-file';
import { linkClicked } from '../events/observed-events';

/** A log that takes each id once, unless it is away or slow. */
export class Log {
  readonly taken: string[][] = [];
  readonly dedupes: string[] = [];
  away = false;
  slow = false;
  asked = 0;
  /** The clicks that it was asked to take, whether it did or not. */
  readonly sent: string[] = [];
  refuses: (hit: IntakeItem) => Error | undefined = () => undefined;
  private waiting: (() => void)[] = [];

  async send(hits: readonly IntakeItem[]): Promise<SendResult> {
    this.asked++;
    this.sent.push(...hits.map(nameOf));
    if (this.away) throw new LogUnavailable('away');
    if (this.slow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    for (const error of hits.map(this.refuses)) if (error !== undefined) throw error;
    const fresh = hits.filter((hit) => !this.ids().includes(nameOf(hit)));
    if (fresh.length > 0) this.taken.push(fresh.map(nameOf));
    this.dedupes.push(...hits.map(({ dedupe }) => dedupe));
    return { outcomes: hits.map((hit) => (fresh.includes(hit) ? 'stored' : 'duplicate')), positions: new Map() };
  }

  /** Goes on with every call that waits, and is slow no more. */
  release(): void {
    this.slow = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  ids = (): string[] => this.taken.flat();
}

export const fileOf = (owner: string): string => spoolFileName(owner, 1, 1);

export const nameOf = ({ subject }: SpooledClick): string => subject;

export const click = (name: string): SpooledClick => ({ subject: name, event: linkClicked(1, { linkId: name }) });

export function line(...names: readonly string[]): string {
  const batch = newBatch(names.map(click));
  return lineOf(
    batch,
    batch.clicks.map((each) => JSON.stringify(each)),
  );
}

/** Written by a process that is no more. */
export const leftFile = (): string => fileOf(ownerOf(999_999_999));

/** Returns what a spool's folder holds beside files that are empty, which are room: their names, in order. */
export async function filesOnDisk(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => textOf(join(folder, name))));
  return names.filter((_, at) => texts[at] !== '');
}

/** The names of the clicks in a spool's folder. */
export async function clicksOnDisk(folder: string): Promise<string[]> {
  const texts = await Promise.all((await readdir(folder)).sort().map((name) => textOf(join(folder, name))));
  return texts.flatMap((text) => text.split('\n').flatMap((each) => parseBatch(each)?.clicks.map(nameOf) ?? []));
}

/** A folder in the place of a file is no text, but is there. */
async function textOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return 'a folder';
    ignoreMissing(error);
    return undefined;
  });
  return (text ?? '').split('\0')[0] ?? '';
}
