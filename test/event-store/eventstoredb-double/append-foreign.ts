import { randomUUID } from 'node:crypto';
import type { EventStoreDbDouble } from './eventstoredb-double';

/** As many streams of one event, each in a category of its own, half of them with metadata of some kind. */
export function appendForeign({ log }: EventStoreDbDouble, count: number): void {
  const rest = { type: 'Foreign', contentType: 'application/json', data: Buffer.from('{}') };
  for (let n = 0; n < count; n += 1) {
    const metadata = Buffer.from(n % 2 === 0 ? '{}' : '{"actor":"someone"}');
    log.append(`x${randomUUID().slice(0, 8)}-1`, -1, [{ id: randomUUID(), metadata, ...rest }]);
  }
}
