import type { Condition, FunnelDefinition, GoalDefinition, SegmentDefinition } from '@ledgerline/contracts/definitions';
import type { NamedGoal } from '@ledgerline/domain/goals/goal-counts';
import { alternativesIn, impossibleValues } from '@ledgerline/domain/query/filters';
import type { SegmentDefinitionDto } from '../../goals/definition.dto';
import { cutText } from '../../http/fields';
import { wrongOption, type ParameterOptions } from '../options';
import { DefinitionIdDto, OPTION_NAMES, type OptionName, type ParameterOptionsDto } from './parameter-options.dto';

/** The definitions of a website. */
export interface Definitions {
  readonly goals: readonly NamedGoal[];
  readonly goal: (id: string) => NamedGoal | undefined;
  readonly funnel: (id: string) => (FunnelDefinition & { readonly name: string }) | undefined;
  readonly segment: (id: string) => SegmentDefinition | undefined;
}

export const NO_DEFINITIONS: Definitions = {
  ...{ goals: [], goal: () => undefined },
  ...{ funnel: () => undefined, segment: () => undefined },
};

/** @throws Problem VALIDATION_ERROR for an id that names nothing of the website */
export function readOptions(dto: ParameterOptionsDto, definitions: Definitions): ParameterOptions {
  const goalOf = (given: NonNullable<ParameterOptionsDto['goal']>, field: string, nth: number): NamedGoal =>
    given instanceof DefinitionIdDto
      ? (definitions.goal(given.id) ?? unknown(field, given.id))
      : { id: null, ...plain<AdHocGoal>(given), name: given.name ?? `Goal ${nth + 1}` };
  const { goals, goal, funnel, ...others } = Object.fromEntries(
    OPTION_NAMES.flatMap((name) => (dto[name] === undefined ? [] : [[name, dto[name]]])),
  ) as ParameterOptionsDto; // of the same fields
  return {
    ...plain(others),
    ...(goals && { goals: goals.map((each, nth) => goalOf(each, `goals[${nth}]`, nth)) }),
    ...(goal && { goal: goalOf(goal, 'goal', 0) }),
    ...(funnel && {
      funnel:
        funnel instanceof DefinitionIdDto
          ? (definitions.funnel(funnel.id) ?? unknown('funnel', funnel.id))
          : plain(funnel),
    }),
  };
}

/** @throws Problem VALIDATION_ERROR for an id that names nothing of the website */
export function readSegment(
  given: DefinitionIdDto | SegmentDefinitionDto,
  definitions: Definitions,
): SegmentDefinition {
  const { filters = [], did = [] } =
    given instanceof DefinitionIdDto ? (definitions.segment(given.id) ?? unknown('segment', given.id)) : plain(given);
  return { filters, did };
}

const MAX_VALUE = 80;

/** For each condition that looks for what cannot be recorded, why it finds nothing. */
export function notesOnConditions(conditions: readonly NamedCondition[]): readonly string[] {
  return conditions.flatMap(({ name, condition }) =>
    (condition?.filters ?? []).flatMap(alternativesIn).flatMap((filter) => {
      const values = impossibleValues(filter).map((value) => JSON.stringify(cutText(value, MAX_VALUE)));
      if (values.length === 0) return [];
      return [
        `The filter on ${filter.field} of ${name} finds nothing: ${values.join(', ')}. Paths have no query string.`,
      ];
    }),
  );
}

interface NamedCondition {
  readonly name: string;
  readonly condition: Condition | undefined;
}

/** The conditions of a parameter, with what answers call them. */
export const conditionsIn = ({ goals = [], goal, funnel, first, again, from, to }: ParameterOptions) => [
  ...[...goals, ...(goal ? [goal] : [])].map(({ name, condition }) => ({ name: JSON.stringify(name), condition })),
  ...(funnel?.steps ?? []).map(({ name, condition }, nth) => ({
    name: name === undefined ? `step ${nth + 1}` : JSON.stringify(name),
    condition,
  })),
  ...Object.entries({ first, again, from, to }).map(([name, condition]) => ({ name, condition })),
];

/** Without classes, as it goes to other threads. */
const plain = <Value extends object>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

type AdHocGoal = GoalDefinition & { readonly name?: string };

function unknown(field: string, id: string): never {
  throw wrongOption(field, `${field} is ${JSON.stringify(id)}, which the website does not have.`);
}

interface Taking {
  readonly name: string;
  readonly takes: readonly OptionName[];
  readonly needs: readonly OptionName[];
}

/** @throws Problem if a type lacks an option that it needs, or has one that it does not take */
export function checkOptions({ name, takes, needs }: Taking, options: ParameterOptions): void {
  for (const option of OPTION_NAMES) {
    if (options[option] !== undefined && !takes.includes(option))
      throw wrongOption(
        option,
        `${name} takes no ${option}${takes.length > 0 ? `; it takes ${takes.join(', ')}` : ''}.`,
      );
    if (options[option] === undefined && needs.includes(option)) throw wrongOption(option, `${name} needs ${option}.`);
  }
}
