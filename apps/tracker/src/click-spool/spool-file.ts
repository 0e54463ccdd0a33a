import { randomBytes } from 'node:crypto';
import { open, readFile, stat, unlink, type FileHandle } from 'node:fs/promises';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';

export type Click = Pick<IntakeItem, 'event' | 'subject' | 'trace'>;

/** Clicks that are spooled, sent and deduplicated together. */
export interface ClickBatch {
  /** 32 hex digits. */
  readonly batch: string;
  readonly clicks: readonly Click[];
}

export const newBatch = (clicks: readonly Click[]): ClickBatch => ({ batch: randomBytes(16).toString('hex'), clicks });

/** As the log takes them: remembered for 48 hours when they are sent, for ever when they are replayed. */
export const clickHits = ({ batch, clicks }: ClickBatch, dedupe: IntakeItem['dedupe']): IntakeItem[] =>
  clicks.map((click) => ({ ...click, dedupe, batch }));

/** One line of a spool file. */
export const serializeBatch = (batch: ClickBatch): string => `${JSON.stringify(batch)}\n`;

/** One file of this process's spool: a batch of clicks a line, deleted whole once the log has all of them. */
export class SpoolFile {
  /** Batches of it that are being written or sent. */
  pending = 0;
  /** Whether a batch of it could not be sent, so that all of it is sent again. */
  needsReplay = false;

  private constructor(
    readonly path: string,
    public bytes: number,
    private handle?: FileHandle,
  ) {}

  static async create(path: string): Promise<SpoolFile> {
    return new SpoolFile(path, 0, await open(path, 'ax', 0o600));
  }

  /** One that another process wrote. */
  static takenOver(path: string, bytes: number): SpoolFile {
    return Object.assign(new SpoolFile(path, bytes), { needsReplay: true });
  }

  /** Writes and fsyncs a line. False when another process has taken the file over meanwhile, perhaps without the line. */
  async append(line: Buffer): Promise<boolean> {
    this.bytes += line.length;
    await this.handle?.writeFile(line);
    await this.handle?.datasync();
    return (await stat(this.path).catch(ignoreMissing)) !== undefined;
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }

  /** Its whole lines: one that a crash cut off was never acknowledged. */
  async lines(): Promise<readonly string[]> {
    const content = await readFile(this.path, 'utf8').catch(ignoreMissing);
    return (content ?? '').split('\n').slice(0, -1);
  }

  async delete(): Promise<void> {
    await unlink(this.path).catch(ignoreMissing);
  }

  /** Keeps lines that can never be sent beside it, for people to look at. */
  async putAside(lines: readonly string[]): Promise<void> {
    const aside = await open(`${this.path}.refused`, 'w', 0o600);
    try {
      await aside.writeFile(lines.map((line) => `${line}\n`).join(''));
      await aside.datasync();
    } finally {
      await aside.close();
    }
  }
}

/** Another process was faster. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

/** The batch of a line; null for a broken line. */
export function parseBatch(line: string): ClickBatch | null {
  try {
    const value: unknown = JSON.parse(line);
    return isBatch(value) ? value : null;
  } catch {
    return null;
  }
}

const isBatch = (value: unknown): value is ClickBatch =>
  isObject(value) && typeof value.batch === 'string' && Array.isArray(value.clicks) && value.clicks.every(isClick);

const isClick = (value: unknown): boolean =>
  isObject(value) && typeof value.subject === 'string' && isObject(value.event) && typeof value.event.id === 'string';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
