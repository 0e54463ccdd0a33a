import { BEGINNING, type Cursor, type LogReader, type ReadOptions } from '../log/log-reader';
import type { LoggedHit } from './intake-log';

/** A part of a partition of the log. */
export interface ReadPart {
  readonly log: Pick<LogReader<LoggedHit>, 'read' | 'compare'>;
  readonly partition: number;
  /** Absent = from the beginning on. */
  readonly after?: Cursor;
  readonly upTo: Cursor;
}

/** Events of one read, and of one that leaves most of them out. */
const READ = 5_000;
const READ_NAMING = 50_000;

/** A selection of the hits. */
export interface HitsWanted extends Pick<ReadOptions, 'naming' | 'signal'> {
  /** Undefined = all. */
  readonly types?: readonly string[] | undefined;
}

/** The hits of a part of the log; with a signal, until it is aborted. */
export async function* hitsIn(
  { log, partition, after = BEGINNING, upTo }: ReadPart,
  { types, naming, signal }: HitsWanted = {},
): AsyncGenerator<LoggedHit, void> {
  const options = { max: naming ? READ_NAMING : READ, naming, ...(types && { types }) };
  for (let cursor = after; log.compare(cursor, upTo) < 0;) {
    signal?.throwIfAborted();
    const { events, next, atHead } = await log.read(partition, cursor, options);
    for (const hit of events) if (log.compare(String(hit.offset), upTo) <= 0) yield hit;
    if (atHead) return;
    cursor = next;
  }
}
