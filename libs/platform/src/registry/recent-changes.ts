import { BEGINNING, type Cursor } from '../log/log-reader';

const MAX_KEPT = 50_000;

/** The newest event about each of many things: what was stored before it is out of date. Knows no more than so many. */
export class RecentChanges {
  private readonly changes = new Map<string, Cursor>();
  /** Changes up to here may be forgotten. */
  private forgotten: Cursor = BEGINNING;

  constructor(
    private readonly compare: (a: Cursor, b: Cursor) => number,
    private readonly max = MAX_KEPT,
  ) {}

  /** Nothing is known of changes up to here. */
  startAt(cursor: Cursor): void {
    this.forgotten = cursor;
  }

  add(id: string, cursor: Cursor): void {
    this.changes.delete(id); // so that the map stays in the order of the events
    this.changes.set(id, cursor);
    const [oldest] = this.changes.size > this.max ? this.changes : [];
    if (!oldest) return;
    this.changes.delete(oldest[0]);
    this.forgotten = oldest[1];
  }

  /** Whether what was stored of a thing at that position holds all changes that are known by now. */
  isIncluded(id: string, cursor: Cursor): boolean {
    const change = this.changes.get(id) ?? this.forgotten;
    return this.compare(cursor, change) >= 0;
  }

  /** Different after every change of the thing. */
  versionOf(id: string): Cursor {
    return this.changes.get(id) ?? this.forgotten;
  }
}
