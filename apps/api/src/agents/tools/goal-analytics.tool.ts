import { ApiPropertyOptional, getSchemaPath, IntersectionType, PickType } from '@nestjs/swagger';
import { omit } from '@ledgerline/domain/decider';
import { FindRecord } from '../../commands/resource.queries';
import { Id } from '../../http/fields';
import { arraySchema, object, text, yes } from '../../http/record.dto';
import { Funnels, Goals } from '../../query/goals/definitions';
import { FunnelDto, GoalDto } from '../../query/goals/goal.dto';
import { META } from '../../query/http/query-schemas';
import { ParameterOptionsDto } from '../../query/request/parameter-options.dto';
import { QueryRequestDto } from '../../query/request/query-request.dto';
import { OfWebsite } from '../changes';
import { tool } from '../tool';
import { answerQuery, ENTRY, PRESET } from './query.tool';

const RANGE = [
  'startDate',
  'endDate',
  'preset',
  'timezone',
  'granularity',
  'compare',
  'filters',
  'segment',
  'limit',
] as const;

class AnalyticsInput extends IntersectionType(
  PickType(QueryRequestDto, RANGE),
  PickType(ParameterOptionsDto, ['by'] as const),
) {
  @OfWebsite()
  websiteId?: string;

  @ApiPropertyOptional(PRESET)
  override preset?: string;
}

class GoalAnalyticsInput extends AnalyticsInput {
  @Id('As list_goals gives it')
  goalId: string;
}

const ANSWER = { data: arraySchema(ENTRY), meta: META, truncated: yes, note: text };

export const getGoalAnalytics = tool({
  name: 'get_goal_analytics',
  title: 'Count a goal',
  description:
    'The conversions of a goal in a range, with visitors, conversion rate and revenue, and by day or hour; with `by` also ' +
    'by an attribute, such as country. Without a range, the last 7 days.',
  action: 'goals:read',
  effect: 'read',
  budget: 'query',
  input: GoalAnalyticsInput,
  output: object({ goal: { $ref: getSchemaPath(GoalDto) }, ...ANSWER }),
  answer: async ({ goalId, websiteId, by }, context, given) => {
    const request = omit(given as GoalAnalyticsInput, 'goalId', 'by');
    const goal = await context.queries.execute(new FindRecord(Goals, goalId, context.caller, false, websiteId));
    const goals = [goalId];
    const parameters = [
      { name: 'goals', goals },
      { name: 'goals_by_day', goals },
      ...(by === undefined ? [] : [{ name: 'goal_by', goal: goalId, by }]),
    ];
    return { goal, ...(await answerQuery({ ...request, websiteId: goal.websiteId, parameters }, context)) };
  },
});

class FunnelAnalyticsInput extends AnalyticsInput {
  @Id('As list_funnels gives it')
  funnelId: string;
}

export const getFunnelAnalytics = tool({
  name: 'get_funnel_analytics',
  title: 'Count a funnel',
  description:
    'How many reach each step of a funnel that they begin in a range, how many drop out there and how long it takes, and ' +
    'completions by day or hour; with `by` one block of steps for each value of an attribute, with `filters` or `segment` ' +
    'only of some visits, such as those of a campaign. Without a range, the last 7 days.',
  action: 'goals:read',
  effect: 'read',
  budget: 'query',
  input: FunnelAnalyticsInput,
  output: object({ funnel: { $ref: getSchemaPath(FunnelDto) }, ...ANSWER }),
  answer: async ({ funnelId, websiteId, by }, context, given) => {
    const request = omit(given as FunnelAnalyticsInput, 'funnelId', 'by');
    const funnel = await context.queries.execute(new FindRecord(Funnels, funnelId, context.caller, false, websiteId));
    const parameters = [
      { name: 'funnel', funnel: funnelId, ...(by !== undefined && { by }) },
      { name: 'funnel_by_day', funnel: funnelId },
    ];
    return { funnel, ...(await answerQuery({ ...request, websiteId: funnel.websiteId, parameters }, context)) };
  },
});
