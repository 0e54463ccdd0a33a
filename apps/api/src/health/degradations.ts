import type { LiveCheckpoint } from '@ledgerline/platform/read-stores/checkpoints';
import type { Reconciliation } from '@ledgerline/platform/read-stores/reconciliations';

/** Something that an operator has to see to, while everything is answered. */
export interface Degradation {
  readonly kind: 'parked' | 'unreconciled';
  readonly group: string;
  /** The place of its read store; absent for the registry. */
  readonly store?: number;
  /** One sentence, without data of events. */
  readonly reason: string;
  readonly since?: string;
}

type Row = Pick<LiveCheckpoint, 'group' | 'parked' | 'parkedSince'> & { readonly store?: number };

/** One for each group and store with parked events. */
export function parkedDegradations(rows: readonly Row[]): Degradation[] {
  const keyOf = ({ group, store }: Row) => `${group} ${store ?? 0}`;
  const parked = rows.filter((row) => row.parked > 0);
  return [...new Set(parked.map(keyOf))].sort().flatMap((key): Degradation[] => {
    const own = parked.filter((row) => keyOf(row) === key);
    const [first] = own;
    if (!first) return [];
    const events = own.reduce((sum, row) => sum + row.parked, 0);
    const since = own.flatMap(({ parkedSince }) => parkedSince?.toISOString() ?? []).sort()[0];
    return [
      {
        kind: 'parked',
        group: first.group,
        ...(first.store === undefined ? {} : { store: first.store }),
        reason: `${events} ${events === 1 ? 'event is' : 'events are'} parked: retry or accept them (npm run projections -- parked list).`,
        ...(since === undefined ? {} : { since }),
      },
    ];
  });
}

/** One for each group and store with tables that differ from the log. */
export function unreconciledDegradations(rows: readonly Reconciliation[], store: number): Degradation[] {
  const differing = rows.filter(({ findings }) => findings > 0);
  return [...new Set(differing.map(({ group }) => group))].sort().flatMap((group): Degradation[] => {
    const own = differing.filter((row) => row.group === group);
    const findings = own.reduce((sum, row) => sum + row.findings, 0);
    const [first] = own.flatMap(({ example }) => example ?? []);
    if (!first) return [];
    const more = findings > 1 ? `, and ${findings - 1} more` : '';
    const reason = `${first.table} differs from the log for ${first.subject} on ${first.day}${more}: npm run projections -- reconcile --repair.`;
    return [{ kind: 'unreconciled', group, store, reason, since: new Date(first.since).toISOString() }];
  });
}
