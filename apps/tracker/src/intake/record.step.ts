import type { Hit } from '@ledgerline/platform/intake-log/intake-log';
import type { Delivery } from './delivery';
import { subjectOf } from './stamp-events.step';
import type { Tools } from './tools';

/** Hands the events to the log; resolves when they are durable. */
export function record(delivery: Delivery, { recordHits }: Pick<Tools, 'recordHits'>): Promise<void> | undefined {
  const hits: Hit[] = [];
  for (const item of delivery.items) {
    const dedupe = item.payload.clientEventId === null ? 'never' : '48h';
    if (item.event !== null) hits.push({ event: item.event, subject: subjectOf(item), dedupe });
  }
  if (hits.length === 0) return undefined;
  return recordHits(hits).then(({ positions }) => {
    delivery.positions = positions;
  });
}
