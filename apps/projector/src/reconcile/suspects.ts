import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { keyOf, type Finding, type SubjectDay } from './findings';
import {
  countsIn,
  eventsBetween,
  isSameCount,
  NONE,
  sumOf,
  type CountEvent,
  type EventCount,
  type LogPart,
  type TableCounts,
} from './log-counts';

/** A day whose table did not have the events of the log when these were at a cursor. */
interface Suspect extends SubjectDay {
  readonly table: string;
  readonly stored: EventCount;
  readonly upTo: Cursor;
}

/** What the log has for a suspect, each event once: up to its cursor, and up to another one. */
interface CountedAgain extends Suspect {
  logged: EventCount;
  before: EventCount;
}

/** Days of which tables do not have as many events as the log: repeats of an event are one in the tables. */
export class Suspects {
  private readonly suspects: Suspect[] = [];
  private readonly days = new Set<string>();

  /** Notes those of the stored counts that are not the logged ones up to a cursor. */
  add(of: SubjectDay, stored: TableCounts, logged: TableCounts, upTo: Cursor): void {
    for (const [table, count] of stored) {
      if (isSameCount(logged.get(table) ?? NONE, count)) continue;
      this.suspects.push({ ...of, table, stored: count, upTo });
      this.days.add(keyOf(of));
    }
  }

  has = (day: SubjectDay): boolean => this.days.has(keyOf(day));

  /** Counts their events again. */
  async countAgain(part: LogPart, count: CountEvent, before: Cursor, rest: () => Promise<void>) {
    const again = this.suspects.map((each) => ({ ...each, logged: NONE, before: NONE, seen: new Set<string>() }));
    const wanted = new Map(again.map((each) => [`${keyOf(each)} ${each.table}`, each]));
    const { log } = part;
    const end = again.reduce((cursor, { upTo }) => (log.compare(cursor, upTo) < 0 ? upTo : cursor), BEGINNING);
    for await (const [events] of eventsBetween(part, BEGINNING, end)) {
      for (const { event, offset } of events) {
        const counted = count(event);
        for (const [table, added] of counted ? countsIn(event, counted) : []) {
          const each = counted && wanted.get(`${keyOf(counted)} ${table}`);
          if (!each || each.seen.has(counted.identity) || log.compare(String(offset), each.upTo) > 0) continue;
          each.seen.add(counted.identity);
          each.logged = sumOf(each.logged, added);
          if (log.compare(String(offset), before) <= 0) each.before = each.logged;
        }
      }
      await rest();
    }
    return again satisfies readonly CountedAgain[];
  }
}

/** Counts that differ, as rows that are missing or too many; undefined if they do not. */
export function findingOf({ subject, day, table, stored, logged }: CountedAgain): Finding | undefined {
  if (isSameCount(logged, stored)) return undefined;
  const more = logged.events - stored.events;
  const counts = { missing: Math.max(more, 0), extra: Math.max(-more, 0), changed: more === 0 ? 1 : 0 };
  return { subject, day, table, ...counts, expected: { ...logged }, found: { ...stored } };
}
