import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes JSON that only its owner may read: all of it or nothing, whenever the process or the machine dies. */
export function writePrivately(file: string, content: object): void {
  const draft = `${file}.${randomUUID()}.new`; // processes in two containers may have one id
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    fchmodSync(descriptor, 0o600); // a draft that a crash left keeps its own
    writeSync(descriptor, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
  const folder = openSync(dirname(file), 'r'); // its entry has to survive, too
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
