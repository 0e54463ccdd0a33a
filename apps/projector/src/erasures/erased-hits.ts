import { type ErasureRule, ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { type ReadPart, hitsIn } from '@ledgerline/platform/intake-log/hits-in';
import type { Cursor } from '@ledgerline/platform/log/log-reader';

/** The visitors, and sessions without one, that were identified as profiles of these rules, as rules. */
export async function findIdentified(part: ReadPart, due: readonly ErasureRule[]): Promise<readonly ErasureRule[]> {
  const rules = new ErasureRules(due);
  const found: ErasureRule[] = [];
  if (!due.some(({ kind }) => kind === 'profile')) return found;
  for await (const { event } of hitsIn(part, ['VisitorIdentified'])) found.push(...rules.shownBy(event));
  return found;
}

interface ErasedHits {
  /** The websites or links that have some. */
  readonly subjects: ReadonlySet<string>;
  /** Those of `wanted` that are among them. */
  readonly cursors: readonly Cursor[];
  /** The clicks that led to them, as rules. */
  readonly clicks: readonly ErasureRule[];
}

/** The hits of a part of the log that rules are about. */
export async function findErased(
  part: ReadPart,
  types: readonly string[],
  due: readonly ErasureRule[],
  wanted: ReadonlySet<Cursor>,
): Promise<ErasedHits> {
  const rules = new ErasureRules(due);
  const subjects = new Set<string>();
  const cursors: Cursor[] = [];
  const clicks: ErasureRule[] = [];
  for await (const { event, offset } of hitsIn(part, types)) {
    const matching = rules.matching(event);
    if (matching.length === 0) continue;
    for (const { subject } of matching) subjects.add(subject);
    if (wanted.has(String(offset))) cursors.push(String(offset));
    for (const rule of rules.shownBy(event, matching)) if (rule.kind === 'click') clicks.push(rule);
  }
  return { subjects, cursors, clicks };
}
