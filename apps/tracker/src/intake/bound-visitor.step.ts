import type { Delivery } from './delivery';
import { subjectOf } from './stamp-events.step';
import type { Tools } from './tools';

/** Lets hits be nobody's once one visitor, or one session of nobody, has had as many today as projections can bear. */
export function boundVisitor(delivery: Delivery, { hitsPerVisitor }: Pick<Tools, 'hitsPerVisitor'>): void {
  if (delivery.bot !== null) return; // never counted, so nothing piles up
  for (const item of delivery.items) {
    const name = item.visitorId ?? item.sessionId;
    if (name === null || hitsPerVisitor.mayBear(name, subjectOf(item), delivery.request.receivedAt)) continue;
    item.visitorId = null;
    item.sessionId = null;
  }
}
