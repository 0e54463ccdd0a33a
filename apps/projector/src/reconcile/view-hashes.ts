import { sessions } from '@ledgerline/contracts/read-models/sessions';
import type { TableDifference } from './findings';

/** Page views with their attributes, as hashes of 32 bits, by day (since 1970-01-01): 4 to 8 bytes each. */
export class ViewHashes {
  private readonly days = new Map<number, { hashes: Int32Array; count: number }>();

  add(day: number, hash: number): void {
    let ofDay = this.days.get(day);
    if (!ofDay) this.days.set(day, (ofDay = { hashes: new Int32Array(8), count: 0 }));
    if (ofDay.count === ofDay.hashes.length) {
      const { hashes } = ofDay;
      ofDay.hashes = new Int32Array(2 * hashes.length);
      ofDay.hashes.set(hashes);
    }
    ofDay.hashes[ofDay.count++] = hash;
  }

  /** Takes out these, the first page views of sessions, and those of their days in the log; answers which the log lacks. */
  takeMissing(logged: ViewHashes): readonly TableDifference[] {
    const expected = { attributes: 'those of the first page view' };
    return [...this.days.keys()].flatMap((day) => {
      const changed = countMissing(this.take(day), logged.take(day));
      const counts = { missing: 0, extra: 0, changed };
      return changed === 0 ? [] : [{ table: sessions.name, day, ...counts, expected, found: { sessions: changed } }];
    });
  }

  /** The hashes of a day, in order. */
  private take(day: number): Int32Array {
    const { hashes, count } = this.days.get(day) ?? { hashes: new Int32Array(0), count: 0 };
    this.days.delete(day);
    return hashes.subarray(0, count).sort();
  }
}

function countMissing(found: Int32Array, logged: Int32Array): number {
  let missing = 0;
  let at = 0;
  for (const hash of found) {
    while ((logged[at] ?? Infinity) < hash) at++;
    if (logged[at] !== hash) missing++;
  }
  return missing;
}
