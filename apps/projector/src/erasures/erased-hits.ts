import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { type ErasureRule, ErasureRules, hitIdsOfRules } from '@ledgerline/domain/erasures/erasure-rules';
import { type ReadPart, hitsIn } from '@ledgerline/platform/intake-log/hits-in';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor } from '@ledgerline/platform/log/log-reader';

/** The visitors, and sessions without one, that were identified as profiles of these rules, as rules. */
export async function findIdentified(part: ReadPart, due: readonly ErasureRule[]): Promise<readonly ErasureRule[]> {
  const rules = new ErasureRules(due);
  const found: ErasureRule[] = [];
  const profiles = due.filter(({ kind }) => kind === 'profile');
  if (profiles.length === 0) return found;
  for await (const { event } of hitsIn(part, { types: ['VisitorIdentified'], naming: hitIdsOfRules(profiles) }))
    found.push(...rules.shownBy(event));
  return found;
}

interface ErasedHits {
  /** By website or link that has some: those that are erased, and not only expired. */
  readonly erased: ReadonlyMap<string, readonly ObservedEvent[]>;
  /** By website: hits of the same visitors from after their erasures. */
  readonly later: ReadonlyMap<string, readonly LoggedHit[]>;
  /** True if these are all of them: too many are not held in memory. */
  readonly isWhole: boolean;
  /** Those of `wanted` that are erased. */
  readonly cursors: readonly Cursor[];
  /** The clicks that led to erased hits, as rules. */
  readonly clicks: readonly ErasureRule[];
}

/** Of a partition. */
const MOST_HITS = 200_000;

/** The hits of a part of the log that rules are about. */
export async function findErased(
  part: ReadPart,
  types: readonly string[],
  due: readonly ErasureRule[],
  wanted: ReadonlySet<Cursor>,
): Promise<ErasedHits> {
  const rules = new ErasureRules(due);
  const erased = new Map<string, ObservedEvent[]>();
  const later = new Map<string, LoggedHit[]>();
  const cursors: Cursor[] = [];
  const clicks: ErasureRule[] = [];
  let hits = 0;
  const add = <Hit>(to: Map<string, Hit[]>, subject: string, hit: Hit) => {
    const known = to.get(subject) ?? [];
    if (++hits <= MOST_HITS) known.push(hit);
    to.set(subject, known);
  };
  for await (const hit of hitsIn(part, { types, naming: hitIdsOfRules(due) })) {
    const { event, offset } = hit;
    const matching = rules.matching(event);
    if (matching.length === 0) {
      if ('websiteId' in event.data && rules.concerns(event)) add(later, event.data.websiteId ?? '', hit);
      continue;
    }
    for (const subject of new Set(matching.map((rule) => rule.subject))) {
      if (matching.some(({ kind }) => kind !== 'expired')) add(erased, subject, event);
      else if (!erased.has(subject)) erased.set(subject, []);
    }
    if (wanted.has(String(offset))) cursors.push(String(offset));
    for (const rule of rules.shownBy(event, matching)) if (rule.kind === 'click') clicks.push(rule);
  }
  return { erased, later, isWhole: hits <= MOST_HITS, cursors, clicks };
}
