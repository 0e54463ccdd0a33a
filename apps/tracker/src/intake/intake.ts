import { assignVisitorIds } from './assign-visitor-ids.step';
import { buildEvents } from './build-events.step';
import { checkOrigin } from './check-origin.step';
import { describeVisitor, dropAddress, judgeBots } from './describe-visitor.step';
import { identifyCaller } from './identify-caller.step';
import { identifyWebsite } from './identify-website.step';
import type { IntakeContext, IntakeDeps } from './intake-context';
import { countRefused, limitRate, limitRefused } from './limit-rate.step';
import { limitVisitorHits } from './limit-visitor-hits.step';
import { parseItems } from './parse-items.step';
import { recordHits } from './record-hits';
import { sealProfiles } from './seal-profiles.step';

/** Changes the context, removes items from it, or rejects the request by throwing a Problem. */
type Step = (context: IntakeContext, deps: IntakeDeps) => void | Promise<void>;

/** The steps of a request, in order. */
const intake: readonly Step[] = [
  limitRefused,
  identifyCaller,
  parseItems,
  identifyWebsite,
  limitRate,
  checkOrigin,
  judgeBots,
  describeVisitor,
  assignVisitorIds,
  limitVisitorHits,
  sealProfiles,
  buildEvents,
  dropAddress,
  recordHits,
];

/** Runs a request through all steps; resolves when what was accepted is durable. */
export async function runIntake(context: IntakeContext, deps: IntakeDeps): Promise<IntakeContext> {
  try {
    for (const step of intake) {
      const pending = step(context, deps);
      if (pending !== undefined) await pending; // most steps are synchronous, and an unnecessary await costs time
    }
  } catch (error) {
    countRefused(context, error, deps);
    throw error;
  }
  return context;
}
