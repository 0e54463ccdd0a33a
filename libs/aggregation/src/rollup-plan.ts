import {
  type Aggregate,
  type Condition,
  type Key,
  type Measure,
  type Rollup,
  storedFigure,
  textOfFigure,
  textOfTree,
} from '@ledgerline/contracts/aggregates/aggregate';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { fieldOfKey, isBucket } from './operators';

/** How an aggregate follows from a rollup. */
export interface RollupPlan {
  readonly rollup: Rollup;
  /** By column the text of a key of the rollup; null = the bucket of a series. */
  readonly keys: Readonly<Record<string, string | null>>;
  /** By column the text of a figure of the rollup, and which percentile is taken of its bins. */
  readonly figures: Readonly<Record<string, { readonly text: string; readonly percent: number }>>;
  /** By column a finer rollup of which it counts the rows. */
  readonly finer: Readonly<Record<string, RollupPlan>>;
  readonly only?: Condition;
  /** It has all keys of the rollup and no other: rows of a day that a pack has are its groups. */
  readonly isByEachKey: boolean;
}

/** The key by which a finer rollup is counted. */
const FINER = ' of finer rows';

/**
 * Undefined of an aggregate that names no rollup.
 * @throws Error of one that follows from its rollup but for a condition, a key or a measure
 */
export function rollupPlan(aggregate: Aggregate): RollupPlan | undefined {
  const { rollup: name, of, where } = aggregate;
  if (name === undefined) return undefined;
  const known = plans.get(aggregate);
  if (known) return known;
  const rollup = rollupNamed(name);
  if (rollup.of !== of || textOfCondition(rollup.where) !== textOfCondition(where))
    throw new Error(`Of ${name} nothing is kept of other rows, or under another condition.`);
  const plan = planFrom(rollup, aggregate);
  plans.set(aggregate, plan);
  return plan;
}

/** Found once for each declaration. */
const plans = new WeakMap<Aggregate, RollupPlan>();

const textOfCondition = (condition: Condition | undefined): string => (condition ? textOfTree(condition) : '');

function planFrom(
  rollup: Rollup,
  { by = {}, only, measures }: Pick<Aggregate, 'by' | 'only' | 'measures'>,
): RollupPlan {
  const wanted = Object.values(by);
  const keys = Object.entries(by).map(
    ([column, key]) => [column, isBucket(key) ? null : textOfKey(rollup, key)] as const,
  );
  const figures: [string, RollupPlan['figures'][string]][] = [];
  const finer: [string, RollupPlan][] = [];
  for (const [column, measure] of Object.entries(measures)) {
    if (typeof measure === 'object' && 'different' in measure) {
      const [field, name] = measure.different;
      const rows = { by: { ...by, [FINER]: field }, ...(only && { only }), measures: { rows: 'count' } } as const;
      finer.push([column, planFrom(rollupNamed(name), rows)]);
      continue;
    }
    const { text, isDistinct } = figureFor(rollup, measure);
    if (isDistinct && !hasAllKeys(rollup, wanted)) throw new Error(`The ${column} of ${rollup.name} do not add up.`);
    figures.push([column, { text, percent: percentOf(measure) }]);
  }
  const texts = keys.map(([, text]) => text);
  return {
    rollup,
    keys: Object.fromEntries(keys),
    figures: Object.fromEntries(figures),
    finer: Object.fromEntries(finer),
    ...(only && { only }),
    isByEachKey: !texts.includes(null) && rollup.keys.every(({ text }) => texts.includes(text)),
  };
}

/** The columns of all rollups from which an aggregate follows. */
export const rollupNames = ({ rollup, finer }: RollupPlan): readonly string[] => [
  rollup.name,
  ...Object.values(finer).flatMap(rollupNames),
];

function textOfKey({ name, keys }: Rollup, key: Key): string {
  const wanted = textOfTree(key);
  if (keys.some(({ text }) => text === wanted)) return wanted;
  throw new Error(`Of ${name} nothing is kept by ${wanted}.`);
}

function figureFor({ name, figures }: Rollup, measure: Measure) {
  const stored = storedFigure(measure);
  const text = stored ? textOfFigure(stored) : textOfTree(measure);
  if (!stored || !figures.some((figure) => figure.text === text)) throw new Error(`Of ${name} no ${text} is kept.`);
  return { text, isDistinct: stored.what === 'visitors' || stored.what === 'sessions' };
}

/** Whether each key of a rollup is one of these, or follows from one. */
const hasAllKeys = ({ keys }: Rollup, wanted: readonly Key[]): boolean =>
  keys.every(
    ({ text, key }) =>
      wanted.some((each) => textOfTree(each) === text) ||
      (typeof key !== 'string' && wanted.some((each) => each === fieldOfKey(key))),
  );

/** Which percentile a measure of bins is. */
function percentOf(measure: Measure): number {
  if (typeof measure === 'string') return 50;
  if ('filter' in measure) return percentOf(measure.filter[1]);
  return 'percentile' in measure ? measure.percentile[1] : 50;
}
