import type { Delivery } from './delivery';

/** From here on nothing knows the visitor's address or user agent. */
export function forgetTheVisitorsAddress(delivery: Delivery): void {
  delivery.address = null;
  delivery.userAgent = null;
}
