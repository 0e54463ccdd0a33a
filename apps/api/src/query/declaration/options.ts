import type { NamedGoal, RetentionPeriod, ShareModel } from '@ledgerline/aggregation/aggregation';
import type { ConditionDefinition, FunnelDefinition } from '@ledgerline/contracts/definitions';
import { Problem } from '@ledgerline/contracts/errors/error-codes';

/** The options of a parameter beside its range, with the definitions themselves where it had ids. */
export interface ParameterOptions {
  readonly goals?: readonly NamedGoal[];
  readonly goal?: NamedGoal;
  readonly funnel?: FunnelDefinition & { readonly name?: string };
  readonly by?: string;
  readonly step?: number;
  readonly state?: 'reached' | 'dropped';
  readonly first?: ConditionDefinition | undefined;
  readonly again?: ConditionDefinition | undefined;
  readonly period?: RetentionPeriod;
  readonly periods?: number;
  readonly mode?: 'on' | 'from';
  readonly from?: ConditionDefinition;
  readonly to?: ConditionDefinition;
  readonly steps?: number;
  readonly branches?: number;
  readonly model?: ShareModel;
  readonly window?: string;
  readonly property?: string;
  readonly currency?: string | { readonly property: string };
}

export type OptionName = keyof ParameterOptions;

/** Returns what is wrong with an option of a parameter. */
export const wrongOption = (field: string, message: string): Problem =>
  new Problem('VALIDATION_ERROR', message, [{ field, message }]);
