import type { Condition, FunnelDefinition } from '@ledgerline/contracts/definitions';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { UNIT_OF_KIND } from '@ledgerline/domain/goals/found-condition';
import { alternativesIn } from '@ledgerline/domain/query/filters';
import type { NamedGoal } from '@ledgerline/domain/goals/goal-counts';
import type { RetentionPeriod } from '@ledgerline/domain/goals/retention';

/** What a parameter has beside its range, with the definitions themselves where it had ids. */
export interface ParameterOptions {
  readonly goals?: readonly NamedGoal[];
  readonly goal?: NamedGoal;
  readonly funnel?: FunnelDefinition & { readonly name?: string };
  readonly by?: string;
  readonly step?: number;
  readonly state?: 'reached' | 'dropped';
  readonly first?: Condition | undefined;
  readonly again?: Condition | undefined;
  readonly period?: RetentionPeriod;
  readonly periods?: number;
  readonly mode?: 'on' | 'from';
  readonly from?: Condition;
  readonly to?: Condition;
  readonly steps?: number;
  readonly branches?: number;
  readonly property?: string;
  readonly currency?: string | { readonly property: string };
}

/** What is wrong with an option of a parameter. */
export const wrongOption = (field: string, message: string): Problem =>
  new Problem('VALIDATION_ERROR', message, [{ field, message }]);

/** @throws Problem VALIDATION_ERROR for conditions that are not counted */
export function checkConditions(field: string, conditions: readonly Condition[]): void {
  for (const { kind, filters = [] } of conditions) {
    if (!(kind in UNIT_OF_KIND)) throw wrongOption(field, `Conditions of the kind ${kind} are not counted yet.`);
    if (filters.flatMap(alternativesIn).some((filter) => filter.field === 'link_kind'))
      throw wrongOption(field, 'Filters on link_kind are not counted yet.');
  }
}
