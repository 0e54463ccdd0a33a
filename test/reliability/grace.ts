import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A click may be lost when its redirect was sent less than this before its tracker was killed. */
const GRACE_MS = 50;

/** A click is gathered, and may wait for a write that is under way before its own. */
const GATHER_MS = 8;
const WRITES = 2;

/** The time within which a click may be lost: longer only while the machine itself is too slow to keep the promise. */
export class Grace {
  readonly name = `${GRACE_MS} ms (or ${WRITES} writes to this disk)`;
  private readonly writes: { readonly began: number; readonly ended: number }[] = [];
  private stopping = false;
  private readonly writing: Promise<void>;

  /** Writes to the trackers' disk all along, as a tracker does. */
  constructor(folder: string) {
    this.writing = this.write(join(folder, 'grace'));
    this.writing.catch(() => undefined); // `stop` tells
  }

  /** Returns whether a redirect that was answered then may have no click, as its tracker was killed then. */
  covers(answered: number, killed: number): boolean {
    const between = this.writes.filter(({ began, ended }) => began >= answered && ended <= killed);
    return killed <= answered + GRACE_MS || between.length < WRITES;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.writing;
  }

  private async write(path: string): Promise<void> {
    const file = await open(path, 'w');
    while (!this.stopping) {
      const began = Date.now();
      await sleep(GATHER_MS);
      await file.write('a click\n');
      await file.datasync();
      this.writes.push({ began, ended: Date.now() });
    }
    await file.close();
  }
}
