import { optionalText } from '../../search-params';

/** The condition that a new goal or step asks for, as the row that leads to its form says. */
export interface ConditionSearch {
  readonly kind?: string;
  readonly value?: string;
}

export const readCondition = (search: Record<string, unknown>): ConditionSearch => ({
  ...optionalText(search, 'kind'),
  ...optionalText(search, 'value'),
});
