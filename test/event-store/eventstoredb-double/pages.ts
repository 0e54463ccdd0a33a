import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { fromOf, nameOf, readEvent, streamNotFound } from './messages';
import type { StoredEvent, StoredLog } from './stored-log';

/** One page of a stream or of `$all`. */
export function pageOf(log: StoredLog, options: ReadReq.Options): ReadResp[] {
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  const name = options.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : undefined;
  const stored = name === undefined ? log.all : log.visible(name);
  if (name !== undefined && stored.length === 0) return [streamNotFound(name)];
  const from = fromOf(options);
  const place = (event: StoredEvent) => (name === undefined ? event.position : event.revision);
  const isUpTo = (at: number, end: number) => (name === undefined ? at < end : at <= end); // as the server does it
  const ordered = backwards ? [...stored].reverse() : stored;
  const reached = ordered.filter(
    (event) => from === undefined || (backwards ? isUpTo(place(event), from) : place(event) >= from),
  );
  return reached.slice(0, Number(options.getCount())).map((event) => {
    const isLink = event.type === '$>' && options.getResolveLinks();
    return isLink ? readEvent(log.targetOf(event), event) : readEvent(event);
  });
}
