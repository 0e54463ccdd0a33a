import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 50 * 1024 * 1024;
const LAST_OUTPUT_BYTES = 64 * 1024;

/** Warnings that Node prints while a process runs on. */
const RUNTIME_WARNING = /^\(node:\d+\)|^\(Use `node /;

/** The log of one process, written by the process itself so that nothing is lost when the supervisor ends. */
export class LogFile {
  readonly path: string;
  private openedAt = 0;

  constructor(folder: string, name: string) {
    this.path = join(folder, `${name}.log`);
  }

  /** Runs `use` with a descriptor for a new process, which appends to what is there. */
  open<T>(use: (descriptor: number) => T): T {
    this.shorten();
    this.openedAt = this.size();
    const descriptor = openSync(this.path, 'a', 0o600);
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Keeps one older piece of at most 50 MB; processes append, so emptying the file under them is safe. */
  shorten(): void {
    if (this.size() <= MAX_BYTES) return;
    copyFileSync(this.path, `${this.path}.1`);
    truncateSync(this.path);
    this.openedAt = 0;
  }

  /** The last plain lines of the newest process, else the newest error in the log. */
  lastOutput(): string {
    const lines = this.tail()
      .split('\n')
      .filter((line) => line.trim() !== '');
    const plain = lines.filter((line) => !line.startsWith('{') && !RUNTIME_WARNING.test(line));
    if (plain.length > 0) return plain.slice(-8).join('\n');
    return lines.map(errorIn).findLast((message) => message !== undefined) ?? '';
  }

  private tail(): string {
    const size = this.size();
    const from = Math.max(this.openedAt, size - LAST_OUTPUT_BYTES);
    const bytes = Buffer.alloc(Math.max(size - from, 0));
    if (bytes.length === 0) return '';
    const descriptor = openSync(this.path, 'r');
    readSync(descriptor, bytes, 0, bytes.length, from);
    closeSync(descriptor);
    return bytes.toString();
  }

  private size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }
}

function errorIn(line: string): string | undefined {
  try {
    const { level, msg } = JSON.parse(line) as { level?: string; msg?: string };
    return level === 'error' || level === 'fatal' ? msg : undefined;
  } catch {
    return undefined;
  }
}
