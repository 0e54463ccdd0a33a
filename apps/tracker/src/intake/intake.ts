import { boundVisitor } from './bound-visitor.step';
import { checkOrigin } from './check-origin.step';
import type { Delivery } from './delivery';
import { forgetTheVisitorsAddress } from './forget-the-visitors-address.step';
import { identifyCaller } from './identify-caller.step';
import { identifyWebsite } from './identify-website.step';
import { judgeBots } from './judge-bots.step';
import { countRefused, limitRate, limitRefused } from './limit-rate.step';
import { locate } from './locate.step';
import { nameVisitor } from './name-visitor.step';
import { parseItems } from './parse-items.step';
import { readUserAgent } from './read-user-agent.step';
import { record } from './record.step';
import { stampEvents } from './stamp-events.step';
import type { Tools } from './tools';

/** Changes the delivery, takes items out of it, or refuses it whole by throwing a Problem. */
export type Step = (delivery: Delivery, tools: Tools) => void | Promise<void>;

/** What happens to a request, in order. */
export const intake: readonly Step[] = [
  limitRefused,
  identifyCaller,
  parseItems,
  identifyWebsite,
  limitRate,
  checkOrigin,
  judgeBots,
  locate,
  readUserAgent,
  nameVisitor,
  boundVisitor,
  stampEvents,
  forgetTheVisitorsAddress,
  record,
];

/** Runs a request through all steps; resolves when what was accepted is durable. */
export async function takeIn(delivery: Delivery, tools: Tools): Promise<Delivery> {
  try {
    for (const step of intake) {
      const pending = step(delivery, tools);
      if (pending !== undefined) await pending; // most steps have nothing to wait for, and a needless await costs a turn
    }
  } catch (error) {
    countRefused(delivery, error, tools);
    throw error;
  }
  return delivery;
}
