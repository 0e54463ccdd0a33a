import type { Aggregate } from '@ledgerline/contracts/aggregates/aggregate';
import type { SessionAttribute } from '@ledgerline/contracts/attributes';
import type { FactUnit } from '@ledgerline/contracts/read-models/event-kinds';
import {
  type Numbers,
  SESSION_FLAG,
  type SessionField,
  UNIT_FIELDS,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import { SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/contracts/sessions/session';
import {
  changedRowsOf,
  type SessionChange,
  type ChangedRows,
  type ChangedSession,
  differingUnits,
  KIND_OF_UNIT,
  twinsOf,
  UnitRows,
  unitsOf,
  type SignedUnits,
} from './changed-rows';
import { isUnit, itemsOf } from './evaluate-aggregate';
import { NO_SERIES, type LookupRow, type CountRequest, type SelectedSessions } from './scope';
import { remember } from './scratch';

/**
 * The history of a visitor whose sessions are not all given: those that are farther away than others that stay are left
 * out.
 */
export interface History {
  /** The days on which sessions come or go. */
  readonly since: number;
  readonly until: number;
  /** The last day of those left out before them, and the first one of those after them; infinite without any. */
  readonly earlierUntil: number;
  readonly laterSince: number;
}

/** Sessions, or facts alone, of any websites as columns, with what happens to each. */
export interface ChangedSessions {
  readonly size: number;
  /** By session: -1 for none. */
  readonly visitors: Int32Array;
  readonly numbers: Int32Array;
  readonly visitorCount: number;
  readonly numberCount: number;
  readonly itemsOf: (count: Pick<Aggregate, 'of' | 'where'>) => ChangedRows;
  /** By visitor. */
  readonly histories: ReadonlyMap<number, History>;
  /** All sessions of the visitors with a history. */
  readonly whole: (visitors: ReadonlySet<number>) => ChangedSessions;
}

/** Everything that happened. */
const EVERYTHING: CountRequest = {
  from: -Infinity,
  to: Infinity,
  series: NO_SERIES,
  filters: [],
  metricFilters: [],
  minSamples: 0,
  top: Infinity,
};

/**
 * @param lookup see `CountScope`
 * @param left of visitors of whom sessions are left out
 */
export function changedSessions(
  changed: readonly ChangedSession[],
  lookup: readonly LookupRow[],
  left: Partial<Pick<ChangedSessions, 'histories' | 'whole'>> = {},
): ChangedSessions {
  const isCounted = new Uint8Array(changed.length);
  for (let at = 0; at < changed.length; at++) isCounted[at] = changed[at]?.session.enteredAt === null ? 0 : 1;
  const field = remember((name: SessionField) => fieldOf(changed, name));
  const units = { isCounted, field, unit: remember((name: Unit) => unitsOf(changed, name, field)) };
  const twins = twinsOf(changed);
  const differing = remember((name: Unit) =>
    KIND_OF_UNIT[name] === undefined ? undefined : differingUnits(changed, twins, name, field),
  );
  return asChanged(changed, { ...units, differing }, lookup, left);
}

/** A fact by the fields of its unit; nothing is known of its session. */
export interface ChangedFact extends SessionChange {
  readonly unit: FactUnit;
  readonly fact: Readonly<Record<string, number>>;
}

export function factsAsChangedSessions(changed: readonly ChangedFact[]): ChangedSessions {
  const field = remember((): Numbers => new Float64Array(changed.length));
  const unit = remember((name: Unit) => {
    const rows = new UnitRows(UNIT_FIELDS[name]);
    for (let at = 0; at < changed.length; at++) {
      const { unit: kind, fact } = changed[at] as ChangedFact;
      if (kind === name) rows.add(at, ...UNIT_FIELDS[name].map((of) => fact[of] ?? -1));
    }
    return rows.columns(changed.length, field);
  });
  return asChanged(changed, { isCounted: new Uint8Array(changed.length), field, unit }, []);
}

function asChanged(
  changed: readonly SessionChange[],
  {
    differing = () => undefined,
    ...of
  }: Pick<SelectedSessions, 'isCounted' | 'field' | 'unit'> & {
    readonly differing?: (unit: Unit) => SignedUnits | undefined;
  },
  lookup: readonly LookupRow[],
  {
    histories = new Map(),
    whole = () => changedSessions([], []),
  }: Partial<Pick<ChangedSessions, 'histories' | 'whole'>> = {},
): ChangedSessions {
  const size = changed.length;
  const visitors = new Int32Array(size);
  const numbers = new Int32Array(size);
  let visitorCount = 0;
  let numberCount = 0;
  for (let at = 0; at < size; at++) {
    const { visitor, number } = changed[at] as SessionChange;
    visitors[at] = visitor;
    numbers[at] = number;
    visitorCount = Math.max(visitorCount, visitor + 1);
    numberCount = Math.max(numberCount, number + 1);
  }
  const scope = {
    sessions: { size, ...of, visitors: { numbers: visitors, count: visitorCount } },
    request: EVERYTHING,
    lookup,
  };
  const known = new Map<Aggregate['of'], Map<Aggregate['where'], ChangedRows>>();
  return {
    size,
    visitors,
    numbers,
    visitorCount,
    numberCount,
    histories,
    whole,
    itemsOf(count) {
      const ofSource = known.get(count.of) ?? new Map<Aggregate['where'], ChangedRows>();
      known.set(count.of, ofSource);
      const found = ofSource.get(count.where) ?? changesOf(count);
      ofSource.set(count.where, found);
      return found;
    },
  };

  function changesOf(count: Pick<Aggregate, 'of' | 'where'>): ChangedRows {
    const signed = isUnit(count.of) ? differing(count.of) : undefined;
    const items = signed ? { ...scope, ...signed.units } : itemsOf(count, scope);
    return changedRowsOf(items, count.where, changed, signed?.signs);
  }
}

function fieldOf(changed: readonly ChangedSession[], name: SessionField): Numbers {
  const values = new Float64Array(changed.length);
  for (let at = 0; at < values.length; at++) values[at] = numberOf((changed[at] as ChangedSession).session, name);
  return values;
}

function numberOf(session: Session, name: SessionField): number {
  if (name === 'first_at') return session.firstAt;
  if (name === 'duration_ms') return session.durationMs;
  if (name !== 'flags') return session.attributes?.[name as SessionAttribute] ?? 0;
  return (session.bounced ? SESSION_FLAG.bounced : 0) | (session.kind === SESSION_KIND.none ? SESSION_FLAG.single : 0);
}
