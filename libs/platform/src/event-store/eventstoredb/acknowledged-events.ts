import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type { ChangeSubscription } from './change-subscription';
import { toCursor } from './position';

/** Events are kept for a moment, as they may arrive before the acknowledgement. */
const MAX_KEPT = 512;
/** An event that has not arrived by then is read from its stream instead, ms. */
const PATIENCE_MS = 200;

/** The events at positions that the server has just acknowledged, from the subscription that brings them anyway. */
export class AcknowledgedEvents {
  private readonly kept = new Map<string, StoredEvent>();
  private readonly waiting = new Map<string, (event: StoredEvent) => void>();

  constructor(private readonly subscription: ChangeSubscription) {
    subscription.onEvent((event) => this.arrived(event));
  }

  /** Undefined when it does not arrive soon. */
  async at(position: Position): Promise<StoredEvent | undefined> {
    this.subscription.begin();
    const place = toCursor(position);
    if (this.kept.has(place) || !this.subscription.isLive) return this.kept.get(place);
    return new Promise((resolve) => {
      const found = (event?: StoredEvent) => {
        clearTimeout(overdue);
        this.waiting.delete(place);
        resolve(event);
      };
      const overdue = setTimeout(found, PATIENCE_MS);
      this.waiting.set(place, found);
    });
  }

  private arrived(event: StoredEvent): void {
    if (!event.position) return;
    const place = toCursor(event.position);
    this.waiting.get(place)?.(event);
    this.kept.set(place, event);
    const [oldest] = this.kept.size > MAX_KEPT ? this.kept.keys() : [];
    if (oldest !== undefined) this.kept.delete(oldest);
  }
}
