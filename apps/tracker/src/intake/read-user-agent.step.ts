import { readAgent } from '../visitors/agent';
import type { Delivery } from './delivery';
import { isServer } from './locate.step';

/** Browser, operating system and kind of device, where a browser sent the request. */
export function readUserAgent(delivery: Delivery): void {
  if (delivery.userAgent === null || isServer(delivery)) return;
  delivery.agent = readAgent(delivery.userAgent);
}
