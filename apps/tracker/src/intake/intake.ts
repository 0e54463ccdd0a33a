import { setImmediate } from 'node:timers/promises';
import { assignVisitorIds, describeVisitor, dropAddress, sealProfiles } from './identify-visitor.step';
import type { IntakeContext, IntakeDeps } from './intake-context';
import { parseItems } from './payloads';
import { buildEvents, recordHits } from './record-hits';
import {
  assignTimes,
  checkOrigin,
  countRefused,
  identifyCaller,
  identifyWebsite,
  judgeBots,
  limitRate,
  limitRefused,
  limitVisitorHits,
  separateEqualTimes,
} from './steps';

/** Changes the context, removes items from it, or rejects the request by throwing a Problem. */
type Step = (context: IntakeContext, deps: IntakeDeps) => void | Promise<void>;

/** The steps of a request, in order. */
const intake: readonly Step[] = [
  limitRefused,
  identifyCaller,
  parseItems,
  assignTimes,
  identifyWebsite,
  limitRate,
  checkOrigin,
  judgeBots,
  describeVisitor,
  assignVisitorIds,
  separateEqualTimes,
  limitVisitorHits,
  sealProfiles,
  buildEvents,
  dropAddress,
  recordHits,
];

/** A step of most requests takes less than one. */
const LONG_STEP_MS = 5;

/** Runs a request through all steps; resolves when what was accepted is durable. */
export async function runIntake(context: IntakeContext, deps: IntakeDeps): Promise<IntakeContext> {
  try {
    for (const step of intake) {
      const begun = performance.now();
      const pending = step(context, deps);
      if (pending !== undefined) await pending; // most steps are synchronous, and an unnecessary await costs time
      else if (performance.now() - begun > LONG_STEP_MS) await setImmediate(); // other requests have their turn
    }
  } catch (error) {
    countRefused(context, error, deps);
    throw error;
  }
  return context;
}
