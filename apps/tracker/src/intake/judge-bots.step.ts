import { botVerdict } from '../visitors/bot-verdict';
import type { Delivery } from './delivery';

/** Marks a browser's request as a bot's. One with a key is never judged: servers look like bots. */
export function judgeBots(delivery: Delivery): void {
  if (delivery.caller === null) delivery.bot = botVerdict(delivery.userAgent);
}
