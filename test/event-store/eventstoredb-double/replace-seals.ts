import { SEAL_TYPE, type Seal } from '@ledgerline/eventstoredb/seal';
import type { EventStoreDbDouble } from './eventstoredb-double';

/** Rewrites every stored seal, as is possible with access to the server's files. */
export function replaceSeals({ log }: EventStoreDbDouble, change: (seal: Seal) => object): void {
  log.all = log.all.map((stored) =>
    stored.type === SEAL_TYPE
      ? {
          ...stored,
          data: Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(stored.data).toString()) as Seal))),
        }
      : stored,
  );
}
