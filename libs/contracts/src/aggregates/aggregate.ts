import { hash } from 'node:crypto';
import { GAMMA, type Unit } from '../read-models/session-days';

/**
 * A declaration of what is counted, by what, and which figures of it. It is data alone: it is evaluated over columns of
 * sessions, printed
 * (`GET /v1/query/types`), and hashed, so that what is stored of it says what it is of. What must be code is an operator
 * that is named here, implemented in the library `aggregation`, and has a version.
 */
export interface Aggregate {
  /** The source of its rows, before they are grouped. */
  readonly of: RowSource;
  /** Columns; without any all rows are one group. */
  readonly by?: Readonly<Record<string, Key>>;
  readonly where?: AggregateCondition;
  /** A further condition, on keys alone: what is stored has no part of it. */
  readonly only?: AggregateCondition;
  readonly measures: Readonly<Record<string, Measure>>;
  /** The name of the stored aggregate from which it follows, too. */
  readonly rollup?: string;
  /** The measure of which the request has a minimum: groups of less are left out, or in a series have no percentiles. */
  readonly enough?: string;
}

/**
 * Units of sessions; sessions that count, as a whole (`counted_sessions`), with how many events they have
 * (`sessions_with_events`); steps from one page view of a session to the next.
 */
export type RowSource = Unit | 'counted_sessions' | 'sessions_with_events' | 'steps';

/**
 * A field, or what follows from one; negative values leave a row out.
 *
 * - range: how many of these numbers, in ascending order, the field reaches
 * - linkDomain: the domain of an address, as text ids, which is looked up
 * - bucket: the bucket of a series, from 1, that a time lies in
 */
export type Key =
  | string
  | { readonly range: readonly [field: string, starts: readonly number[]] }
  | { readonly linkDomain: string }
  | { readonly bucket: string };

/**
 * - inSession: the row lies in a session
 * - hasError: its session has an error that filters select, at any time
 * - passesMetricFilters: the filters on metrics of the request select it
 * - atLeast: the field has at least this value. Measures that are unknown are -1, texts that are missing 0
 */
export type AggregateCondition =
  | ('inSession' | 'hasError' | 'passesMetricFilters')
  | { readonly atLeast: readonly [field: string, least: number] }
  | { readonly all: readonly AggregateCondition[] }
  | { readonly not: AggregateCondition };

/**
 * A figure of each group; NaN of nothing.
 *
 * - count: rows · visitors, sessions: different ones · different: values of a field, each a row of a finer stored aggregate
 * - percentile: in percent; of n sorted values the one at rank ⌈p · n⌉ (from 1)
 * - latest: a field of the latest row by these fields, of which the first decides
 * - filter: a measure of the rows that meet a condition
 */
export type Measure =
  | ('count' | 'visitors' | 'sessions')
  | { readonly sum: string }
  | { readonly least: string }
  | { readonly greatest: string }
  | { readonly percentile: readonly [field: string, percent: number] }
  | { readonly latest: readonly [field: string, by: readonly string[]] }
  | { readonly different: readonly [field: string, rollup: string] }
  | { readonly filter: readonly [AggregateCondition, Measure] };

export const known = (field: string): AggregateCondition => ({ atLeast: [field, 0] });
export const positive = (field: string): AggregateCondition => ({ atLeast: [field, 1] });

/** The stored part of a measure by day, from which the figure of any days follows. */
export type StoredFigure = { readonly where?: AggregateCondition } & (
  | { readonly what: 'visitors' | 'sessions' }
  /** Without a field how many rows there are. */
  | { readonly what: 'sum'; readonly field?: string }
  /** Bins of durations, as `durationBin` says. */
  | { readonly what: 'bins' | 'least' | 'greatest'; readonly field: string }
  | { readonly what: 'latest'; readonly field: string; readonly by: readonly string[] }
);

/** Undefined = it follows from other aggregates. */
export function storedFigure(measure: Measure): StoredFigure | undefined {
  if (typeof measure === 'string') return { what: measure === 'count' ? 'sum' : measure };
  if ('sum' in measure) return { what: 'sum', field: measure.sum };
  if ('least' in measure) return { what: 'least', field: measure.least };
  if ('greatest' in measure) return { what: 'greatest', field: measure.greatest };
  if ('percentile' in measure) return { what: 'bins', field: measure.percentile[0] };
  if ('latest' in measure) return { what: 'latest', field: measure.latest[0], by: measure.latest[1] };
  if ('different' in measure) return undefined;
  const [where, of] = measure.filter;
  const stored = storedFigure(of);
  return stored && { ...stored, where };
}

/**
 * Versions of what code computes, 1 unless it stands here: to be raised with every change of what an operator, a source of
 * rows or a stored figure gives for the same events. Stored aggregates that use it are then filled anew, by themselves.
 */
const VERSIONS: Readonly<Record<string, number>> = {
  /** The factor by which each bin is wider than the one before. */
  bins: GAMMA,
};

/** A key, condition, measure, or what one of them is about. */
type Tree = string | number | readonly Tree[] | { readonly [operator: string]: Tree };

/** A key, condition or measure as text, in which every operator has its version: equal texts mean the same. */
export function textOfTree(tree: Tree): string {
  if (typeof tree === 'number') return String(tree);
  if (typeof tree === 'string') return withVersion(tree);
  if (isList(tree)) return tree.map(textOfTree).join(' ');
  return Object.entries(tree)
    .map(([operator, of]) => `${withVersion(operator)}(${textOfTree(of)})`)
    .join(' ');
}

const isList = (tree: object): tree is readonly Tree[] => Array.isArray(tree);

const withVersion = (name: string): string => (name in VERSIONS ? `${name}@${VERSIONS[name]}` : name);

/** Returns the text of a stored figure. */
export function textOfFigure({ where, ...figure }: StoredFigure): string {
  const fields = [...('field' in figure ? [figure.field] : []), ...('by' in figure ? figure.by : [])];
  const what = figure.what === 'sum' && fields.length === 0 ? 'count' : figure.what;
  const text = fields.length > 0 ? `${withVersion(what)}(${fields.join(' ')})` : withVersion(what);
  return where ? `${text} where ${textOfTree(where)}` : text;
}

/**
 * An aggregate that is stored by day: its keys and figures are in the order of their texts, whatever the order and the
 * names in its declaration are.
 */
export interface Rollup extends Pick<Aggregate, 'of' | 'where'> {
  /** The column that holds it: the declared name with the hash of `text`. */
  readonly name: string;
  /** Everything that its bytes depend on. */
  readonly text: string;
  readonly keys: readonly { readonly text: string; readonly key: Key }[];
  readonly figures: readonly { readonly text: string; readonly stored: StoredFigure }[];
}

const HASH_DIGITS = 8;

/** @throws Error of a measure that cannot be stored */
export function rollupOf(name: string, { of, by = {}, where, measures }: Aggregate): Rollup {
  const keys = Object.values(by).map((key) => ({ text: textOfTree(key), key }));
  const figures = Object.entries(measures).map(([measure, tree]) => {
    const stored = storedFigure(tree);
    if (!stored) throw new Error(`Nothing is stored from which ${measure} of ${name} follows.`);
    return { text: textOfFigure(stored), stored };
  });
  const ordered = { keys: inOrder(keys), figures: inOrder(figures) };
  const parts = [
    ...[withVersion(of), where ? `where ${textOfTree(where)}` : ''],
    ...[`by ${ordered.keys.map(({ text }) => text).join(', ')}`, ordered.figures.map(({ text }) => text).join(', ')],
  ];
  const text = parts.filter((part) => part !== '' && part !== 'by ').join(' · ');
  return {
    name: `${name}_${hash('sha256', text).slice(0, HASH_DIGITS)}`,
    text,
    of,
    ...(where && { where }),
    ...ordered,
  };
}

/** In the order of their texts, each text once. */
const inOrder = <Part extends { readonly text: string }>(parts: readonly Part[]): readonly Part[] =>
  [...new Map(parts.map((part) => [part.text, part])).values()].sort((a, b) => (a.text < b.text ? -1 : 1));
