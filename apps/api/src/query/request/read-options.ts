import type { NamedGoal } from '@ledgerline/aggregation/aggregation';
import type { ConditionDefinition, GoalDefinition, SegmentDefinition } from '@ledgerline/contracts/definitions';
import type { Problem } from '@ledgerline/contracts/errors/error-codes';
import { REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import { isEmptySegment } from '@ledgerline/domain/goals/definition-rules';
import { alternativesIn, impossibleValues } from '@ledgerline/domain/query/filters';
import { cutText } from '../../http/fields';
import { invalid } from '../../http/problems';
import { wrongOption, type ParameterOptions } from '../declaration/options';
import type { QueryAbout, QueryType } from '../declaration/query-type';
import type { SegmentDefinitionDto } from '../goals/definition.dto';
import { DefinitionIdDto, MAX_GOALS, OPTION_NAMES, type ParameterOptionsDto } from './parameter-options.dto';
import type { Definitions } from './query-targets';

/** The options of a parameter, and notes on them. @throws Problem VALIDATION_ERROR for an id that names nothing of the website */
export function readOptions(type: QueryType, dto: ParameterOptionsDto, definitions: Definitions) {
  const { options, notes } = withGoals(type, resolveOptions(dto, definitions), definitions);
  return { options, notes: [...notes, ...notesOnOptions(options)] };
}

/** A type about goals that names none is about all of the website; a series about the first ones. */
function withGoals({ takes, shape }: QueryType, options: ParameterOptions, { goals: all }: Definitions) {
  if (!takes.options.includes('goals') || options.goals) return { options, notes: [] };
  const goals = shape === 'series' ? all.slice(0, MAX_GOALS) : all;
  const note = `Of ${all.length} goals the first ${MAX_GOALS} are counted; name others in goals.`;
  return { options: { ...options, goals }, notes: goals.length < all.length ? [note] : [] };
}

function resolveOptions(dto: ParameterOptionsDto, definitions: Definitions): ParameterOptions {
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

/** The segment of a request with notes on it, or why there is none. @throws Problem VALIDATION_ERROR for one that is no segment */
export function readSegment(
  given: DefinitionIdDto | SegmentDefinitionDto,
  { about, visitorIdentity }: { readonly about: QueryAbout; readonly visitorIdentity: string },
  definitions: Definitions,
): { readonly segment: SegmentDefinition | null; readonly notes: readonly string[]; readonly unresolved?: Problem } {
  const refuse = (message: string): Problem => invalid([{ field: 'segment', message }]);
  if (about !== 'website') throw refuse('Segments are of websites.');
  if (given instanceof DefinitionIdDto) {
    const segment = definitions.segment(given.id);
    if (segment) return { segment, notes: notesOnSegment(segment, visitorIdentity) };
    return { segment: null, notes: [], unresolved: unknownId('segment', given.id) };
  }
  if (isEmptySegment(given)) throw refuse(REJECTIONS.SEGMENT_EMPTY.message);
  const { filters = [], did = [] } = plain(given);
  return { segment: { filters, did }, notes: notesOnSegment({ filters, did }, visitorIdentity) };
}

const MAX_VALUE = 80;

/** For each condition that looks for what cannot be recorded, why it finds nothing. */
function notesOnConditions(conditions: readonly NamedCondition[]): readonly string[] {
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

/**
 * Returns what the conditions of a segment cannot find, and where the ids of visitors end whose sessions it follows.
 */
function notesOnSegment(segment: SegmentDefinition, visitorIdentity: string): readonly string[] {
  const impossible = notesOnConditions(segment.did.map(({ condition }) => ({ name: 'the segment', condition })));
  const unit = ({ daily: 'day', monthly: 'month' } as Readonly<Record<string, string>>)[visitorIdentity];
  if (!unit || !segment.did.some(({ within }) => within === 'range')) return impossible;
  return [...impossible, `Ids of visitors end with the ${unit}, and so does what the segment knows of them.`];
}

interface NamedCondition {
  readonly name: string;
  readonly condition: ConditionDefinition | undefined;
}

/** For each condition in the options of a parameter that looks for what cannot be recorded, why it finds nothing. */
const notesOnOptions = (options: ParameterOptions): readonly string[] => notesOnConditions(conditionsIn(options));

/** The conditions of a parameter, with what answers call them. */
const conditionsIn = ({ goals = [], goal, funnel, first, again, from, to }: ParameterOptions) => [
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
  throw unknownId(field, id);
}

const unknownId = (field: string, id: string): Problem =>
  wrongOption(field, `${field} is ${JSON.stringify(id)}, which the website does not have.`);
