import { readsOf } from '@ledgerline/aggregation/aggregation';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { isExpired } from '../declaration/query-context';
import type { PlannedParameter } from './answer';
import type { PlannedQuery } from './executors';

/** @throws Problem if nothing is left of what a parameter asks */
export function refuseExpired({ parameter, parts: [query] }: PlannedParameter): void {
  const { expired, to } = query?.context ?? {};
  if (query && expired && to !== undefined && isExpired(query.context, to - 1) && isLost(query))
    throw new Problem('VALIDATION_ERROR', `${parameter.type.name}: ${deletedBefore(expired.before)}`);
}

/** Returns what the answer to parameters cannot know of expired days. */
export const expiredNotes = (planned: readonly PlannedParameter[]): readonly string[] =>
  planned.flatMap(({ parameter: { type }, parts: [query], earlier }, at) => {
    const notes = [...(query ? notesOf(query) : []), ...(earlier && notesOf(earlier).length > 0 ? [COMPARED] : [])];
    return notes.map((note) => `parameters[${at}] (${type.name}): ${note}`);
  });

function notesOf(query: PlannedQuery): readonly string[] {
  const { context, executor, task } = query;
  const { expired, visitorIdentity, from } = context;
  if (!expired) return [];
  const isLasting = visitorIdentity !== 'daily';
  const isOfHistory = isLasting && task !== undefined && readsOf(task.plan).every === 'history';
  const isCounted = isLasting && executor.name === 'rollups' && isExpired(context, from);
  return [
    ...(isLost(query) ? [deletedBefore(expired.before)] : isCounted ? [RETURNED] : []),
    ...(isOfHistory ? [`Visitors who were there before ${expired.before} count as new, as that is deleted.`] : []),
  ];
}

/** Returns whether sessions or facts of expired days would be needed, or rollups of them that are not kept. */
function isLost({ executor, context, task }: PlannedQuery): boolean {
  if (executor.name === 'own' || executor.name === 'fifteenMinutes') return false;
  const { every, rollups } = task ? readsOf(task.plan) : {};
  if (executor.name !== 'rollups') return isExpired(context, context.from - (typeof every === 'number' ? every : 0));
  return isExpired(context, context.from) && rollups?.every((name) => context.expired?.rollups.includes(name)) !== true;
}

const deletedBefore = (day: string): string =>
  `What happened before ${day} is deleted; of it whole days in the zone of the website are left, without filters.`;

const RETURNED = 'Visitors who stayed away for longer than hits are kept count again.';

const COMPARED = 'It is compared with days of which something is deleted.';
