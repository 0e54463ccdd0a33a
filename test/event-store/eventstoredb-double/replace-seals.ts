import { SEAL_TYPE, type Seal } from '@ledgerline/platform/event-store/eventstoredb/seal';
import type { EventStoreDbDouble } from './eventstoredb-double';

/** Rewrites every seal where it lies, as whoever has the server's files can. */
export function replaceSeals({ log }: EventStoreDbDouble, change: (seal: Seal) => object): void {
  log.all = log.all.map((kept) =>
    kept.type === SEAL_TYPE
      ? { ...kept, data: Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(kept.data).toString()) as Seal))) }
      : kept,
  );
}
