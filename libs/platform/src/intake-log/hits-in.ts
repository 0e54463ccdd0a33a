import { BEGINNING, type Cursor, type LogReader } from '../log/log-reader';
import type { LoggedHit } from './intake-log';

/** A part of a partition of the log: from its beginning up to a cursor. */
export interface ReadPart {
  readonly log: Pick<LogReader<LoggedHit>, 'read' | 'compare'>;
  readonly partition: number;
  readonly upTo: Cursor;
}

/** Events of one read. */
const READ = 5_000;

/** The hits of a part of the log; with a signal, until it is aborted. @param types undefined = all */
export async function* hitsIn(
  { log, partition, upTo }: ReadPart,
  types?: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<LoggedHit, void> {
  for (let cursor = BEGINNING; log.compare(cursor, upTo) < 0;) {
    signal?.throwIfAborted();
    const { events, next, atHead } = await log.read(partition, cursor, { max: READ, ...(types && { types }) });
    for (const hit of events) if (log.compare(String(hit.offset), upTo) <= 0) yield hit;
    if (atHead) return;
    cursor = next;
  }
}
