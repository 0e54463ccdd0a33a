import { OmitType } from '@nestjs/swagger';
import { assertCurrentRevision } from '../../commands/command-runner';
import { Funnels, Goals, Segments } from '../../goals/definitions';
import {
  CreateFunnelDto,
  CreateGoalDto,
  FunnelDto,
  GoalDto,
  plainFunnel,
  plainGoal,
  SegmentDto,
  UpdateGoalDto,
} from '../../goals/goal.dto';
import { Id } from '../../http/fields';
import { FindRecord, PreviewRecord } from '../../resources/resource.queries';
import { ChangeRecord } from '../../resources/resource.commands';
import { changesIn } from '../../resources/resource';
import {
  atRevision,
  changedFields,
  changeSchema,
  Confirm,
  creationTool,
  IdempotencyKey,
  PREVIEW,
  Revision,
} from '../changes';
import { PREVIEWED, listTool, tool } from '../tool';

const nameOf = ({ name }: { readonly name: string }): string => name;

export const listGoals = listTool({
  of: 'goals',
  title: 'List goals',
  description: 'The goals of websites, oldest first: what an event must be to count as a conversion.',
  action: 'goals:read',
  resource: Goals,
  record: GoalDto,
  nameOf,
});

export const listFunnels = listTool({
  of: 'funnels',
  title: 'List funnels',
  description: 'The funnels of websites, oldest first, with the conditions of their steps.',
  action: 'goals:read',
  resource: Funnels,
  record: FunnelDto,
  nameOf,
});

export const listSegments = listTool({
  of: 'segments',
  title: 'List segments',
  description:
    'The segments that queries can be filtered by, oldest first. A segment without websiteId is one of all websites.',
  action: 'goals:read',
  resource: Segments,
  record: SegmentDto,
  nameOf,
});

class CreateGoalInput extends OmitType(CreateGoalDto, ['organizationId']) {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('goal')
  idempotencyKey?: string;
}

export const createGoal = creationTool({
  noun: 'goal',
  title: 'Create a goal',
  description:
    'Creates a goal of a website. Its conversions are counted among all events there are, also earlier ones.',
  action: 'goals:write',
  resource: Goals,
  record: GoalDto,
  input: CreateGoalInput,
  defaults: plainGoal,
});

const GOAL_CHANGE = changeSchema('goal', GoalDto);

class UpdateGoalInput extends UpdateGoalDto {
  @Id('As list_goals gives it')
  goalId: string;

  @Confirm()
  confirm?: boolean;

  @Revision('goal')
  revision?: number;
}

export const updateGoal = tool({
  name: 'update_goal',
  title: 'Change a goal',
  description: `Changes the fields that are given, null clears one, and leaves the others as they are. What it counts changes for all times. ${PREVIEWED}`,
  action: 'goals:write',
  effect: 'change',
  input: UpdateGoalInput,
  output: GOAL_CHANGE,
  answer: async ({ goalId, confirm = false, revision, ...settings }, context) => {
    const { caller, commands, queries } = context;
    const before = await queries.execute(new FindRecord(Goals, goalId, caller, true));
    const changes = changedFields(before, changesIn(settings, plainGoal));
    const isSame = Object.keys(changes).length === 0;
    if (!confirm) {
      await queries.execute(new PreviewRecord(Goals, goalId, settings, atRevision(context, revision)));
      const note = isSame ? 'Nothing would change: the goal has these values already.' : PREVIEW.note;
      return { ...PREVIEW, goal: before, changes, note };
    }
    const { entry } = await commands.execute(new ChangeRecord(Goals, goalId, settings, atRevision(context, revision)));
    const note = isSame ? 'Nothing was changed: the goal had these values already.' : 'The goal was changed.';
    return { done: true, goal: entry, changes, note };
  },
});

class DeleteGoalInput {
  @Id('As list_goals gives it')
  goalId: string;

  @Confirm()
  confirm?: boolean;

  @Revision('goal')
  revision?: number;
}

export const deleteGoal = tool({
  name: 'delete_goal',
  title: 'Delete a goal',
  description: `Deletes a goal: nothing can be counted by its id any more, and its name is free. Events stay. ${PREVIEWED}`,
  action: 'goals:write',
  effect: 'delete',
  input: DeleteGoalInput,
  output: GOAL_CHANGE,
  answer: async ({ goalId, confirm = false, revision }, context) => {
    const { caller, commands, queries } = context;
    const before = await queries.execute(new FindRecord(Goals, goalId, caller, true));
    const shown = { goal: before, changes: {} };
    if (!confirm) {
      assertCurrentRevision(before.revision, revision);
      return { ...PREVIEW, ...shown, note: `The goal "${before.name}" would be deleted. ${PREVIEW.note}` };
    }
    await commands.execute(new ChangeRecord(Goals, goalId, null, atRevision(context, revision)));
    return { done: true, ...shown, note: 'The goal was deleted.' };
  },
});

class CreateFunnelInput extends OmitType(CreateFunnelDto, ['organizationId']) {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('funnel')
  idempotencyKey?: string;
}

export const createFunnel = creationTool({
  noun: 'funnel',
  title: 'Create a funnel',
  description: 'Creates a funnel of 2 to 32 steps of a website, which counts how many get from each to the next.',
  action: 'goals:write',
  resource: Funnels,
  record: FunnelDto,
  input: CreateFunnelInput,
  defaults: plainFunnel,
});
