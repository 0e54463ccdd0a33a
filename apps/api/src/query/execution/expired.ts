import { readsOf } from '@ledgerline/aggregation/aggregation';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { addDays } from '@ledgerline/domain/time/zones';
import { isPastRetention } from '../declaration/query-context';
import type { PlannedParameter } from './answer';
import type { PlannedQuery } from './executors';

/** @throws Problem if nothing is left of what a parameter asks */
export function refuseExpired({ parameter, parts: [query] }: PlannedParameter): void {
  const { expired, to } = query?.context ?? {};
  if (query && expired && to !== undefined && isPastRetention(query.context, to - 1) && isLost(query))
    throw new Problem('VALIDATION_ERROR', `${parameter.type.name}: ${deletedBefore(expired.before)}`);
}

/**
 * Counts the visitors from one day to another who were never seen before, as far as is known; undefined where that is
 * not known.
 */
export type CountNew = (since: string, until: string) => Promise<number | undefined>;

/** Says what the answers to parameters cannot know of expired days. */
export async function expiredNotes(
  planned: readonly PlannedParameter[],
  countNew: CountNew,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [at, { parameter, parts, earlier }] of planned.entries()) {
    const [query] = parts;
    const notes = [
      ...(query ? notesOf(query) : []),
      ...(query && isCounted(query) ? await returnedNote(query, countNew) : []),
      ...(earlier && (notesOf(earlier).length > 0 || isCounted(earlier)) ? [COMPARED] : []),
    ];
    found.push(...notes.map((note) => `parameters[${at}] (${parameter.type.name}): ${note}`));
  }
  return found;
}

/**
 * Visitors who come back once their earlier visits are deleted look new, so as many as look new are counted twice at
 * most.
 */
async function returnedNote({ context }: PlannedQuery, countNew: CountNew): Promise<readonly string[]> {
  const { expired, startDate, endDate } = context;
  const second = addDays(startDate, 1);
  const count = expired ? await countNew(expired.first > second ? expired.first : second, endDate) : undefined;
  if (count === 0) return [];
  return [count === undefined ? `${RETURNED}.` : `${RETURNED}: at most ${count} in this range.`];
}

/** Returns whether visitors are counted of days that are expired, and of others. */
function isCounted(query: PlannedQuery): boolean {
  const { context, executor } = query;
  const isLasting = context.visitorIdentity !== 'daily';
  return isLasting && executor.name === 'rollups' && isPastRetention(context, context.from) && !isLost(query);
}

function notesOf(query: PlannedQuery): readonly string[] {
  const { context, task, executor } = query;
  const { expired, visitorIdentity } = context;
  if (!expired) return [];
  if (executor.name === 'fifteenMinutes')
    return isPastRetention(context, context.from) ? [`Results of monitors before ${expired.before} are deleted.`] : [];
  const isLasting = visitorIdentity !== 'daily';
  const isOfHistory = isLasting && task !== undefined && readsOf(task.plan).every === 'history';
  return [
    ...(isLost(query) ? [deletedBefore(expired.before)] : []),
    ...(isOfHistory ? [`Visitors who were there before ${expired.before} count as new, as that is deleted.`] : []),
  ];
}

/** Returns whether sessions or facts of expired days would be needed, or rollups of them that are not kept. */
function isLost({ executor, context, task }: PlannedQuery): boolean {
  if (executor.name === 'own' || executor.name === 'fifteenMinutes') return false;
  const { every, rollups } = task ? readsOf(task.plan) : {};
  if (executor.name !== 'rollups')
    return isPastRetention(context, context.from - (typeof every === 'number' ? every : 0));
  return (
    isPastRetention(context, context.from) && rollups?.every((name) => context.expired?.rollups.includes(name)) !== true
  );
}

const deletedBefore = (day: string): string =>
  `What happened before ${day} is deleted; of it whole days in the zone of the website are left, without filters.`;

const RETURNED = 'Visitors who stayed away for longer than hits are kept count again';

const COMPARED = 'It is compared with days of which something is deleted.';
