import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import type {
  FunnelCreated,
  FunnelEvent,
  FunnelSettings,
  GoalCreated,
  GoalEvent,
  GoalSettings,
  SegmentCreated,
  SegmentEvent,
  SegmentSettings,
} from '@ledgerline/contracts/events/definition.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { type Command, applyChanges, decider, omit } from '../decider';
import { isEmptySegment } from './definition-rules';

/** What is defined in a stream, by id: a stream holds all goals, funnels or segments of a website, so that no two share a name. */
type Definitions<Details> = ReadonlyMap<string, Details>;

export type GoalCommand = CreateGoal | UpdateGoal | DeleteGoal;
type CreateGoal = Command<'CreateGoal', GoalCreated['data']>;
type UpdateGoal = Command<'UpdateGoal', { goalId: string; changes: Partial<GoalSettings> }>;
type DeleteGoal = Command<'DeleteGoal', { goalId: string }>;

export const goal = decider<Definitions<GoalCreated['data']>, GoalCommand, GoalEvent>({
  initial: new Map(),

  decide: {
    CreateGoal(goals, data) {
      assertNew(goals, data.goalId, 'GOAL_EXISTS');
      assertNameIsFree(goals, data.goalId, data.name);
      assertValue(data);
      return [{ type: 'GoalCreated', data }];
    },
    UpdateGoal(goals, { goalId, changes }) {
      const data = applyChanges(existing(goals, goalId, 'GOAL_NOT_FOUND'), changes);
      if (!data) return [];
      assertNameIsFree(goals, goalId, data.name);
      assertValue(data);
      return [{ type: 'GoalUpdated', data }];
    },
    DeleteGoal: (goals, { goalId }) => [{ type: 'GoalDeleted', data: existing(goals, goalId, 'GOAL_NOT_FOUND') }],
  },

  evolve: {
    GoalCreated: (goals, data) => including(goals, data.goalId, data),
    GoalUpdated: (goals, data) => including(goals, data.goalId, omit(data, 'before')),
    GoalDeleted: (goals, { goalId }) => excluding(goals, goalId),
  },
});

function assertValue({ condition, value }: GoalSettings): void {
  if (value !== null && condition.kind !== 'event') throw new Rejection('GOAL_VALUE_INVALID', 'value');
}

export type FunnelCommand = CreateFunnel | UpdateFunnel | DeleteFunnel;
type CreateFunnel = Command<'CreateFunnel', FunnelCreated['data']>;
type UpdateFunnel = Command<'UpdateFunnel', { funnelId: string; changes: Partial<FunnelSettings> }>;
type DeleteFunnel = Command<'DeleteFunnel', { funnelId: string }>;

export const funnel = decider<Definitions<FunnelCreated['data']>, FunnelCommand, FunnelEvent>({
  initial: new Map(),

  decide: {
    CreateFunnel(funnels, data) {
      assertNew(funnels, data.funnelId, 'FUNNEL_EXISTS');
      assertNameIsFree(funnels, data.funnelId, data.name);
      return [{ type: 'FunnelCreated', data }];
    },
    UpdateFunnel(funnels, { funnelId, changes }) {
      const data = applyChanges(existing(funnels, funnelId, 'FUNNEL_NOT_FOUND'), changes);
      if (!data) return [];
      assertNameIsFree(funnels, funnelId, data.name);
      return [{ type: 'FunnelUpdated', data }];
    },
    DeleteFunnel: (funnels, { funnelId }) => [
      { type: 'FunnelDeleted', data: existing(funnels, funnelId, 'FUNNEL_NOT_FOUND') },
    ],
  },

  evolve: {
    FunnelCreated: (funnels, data) => including(funnels, data.funnelId, data),
    FunnelUpdated: (funnels, data) => including(funnels, data.funnelId, omit(data, 'before')),
    FunnelDeleted: (funnels, { funnelId }) => excluding(funnels, funnelId),
  },
});

export type SegmentCommand = CreateSegment | UpdateSegment | DeleteSegment;
type CreateSegment = Command<'CreateSegment', SegmentCreated['data']>;
type UpdateSegment = Command<'UpdateSegment', { segmentId: string; changes: Partial<SegmentSettings> }>;
type DeleteSegment = Command<'DeleteSegment', { segmentId: string }>;

export const segment = decider<Definitions<SegmentCreated['data']>, SegmentCommand, SegmentEvent>({
  initial: new Map(),

  decide: {
    CreateSegment(segments, data) {
      assertNew(segments, data.segmentId, 'SEGMENT_EXISTS');
      assertNameIsFree(segments, data.segmentId, data.name);
      assertNotEmpty(data);
      return [{ type: 'SegmentCreated', data }];
    },
    UpdateSegment(segments, { segmentId, changes }) {
      const data = applyChanges(existing(segments, segmentId, 'SEGMENT_NOT_FOUND'), changes);
      if (!data) return [];
      assertNameIsFree(segments, segmentId, data.name);
      assertNotEmpty(data);
      return [{ type: 'SegmentUpdated', data }];
    },
    DeleteSegment: (segments, { segmentId }) => [
      { type: 'SegmentDeleted', data: existing(segments, segmentId, 'SEGMENT_NOT_FOUND') },
    ],
  },

  evolve: {
    SegmentCreated: (segments, data) => including(segments, data.segmentId, data),
    SegmentUpdated: (segments, data) => including(segments, data.segmentId, omit(data, 'before')),
    SegmentDeleted: (segments, { segmentId }) => excluding(segments, segmentId),
  },
});

function assertNotEmpty(segment: SegmentSettings): void {
  if (isEmptySegment(segment)) throw new Rejection('SEGMENT_EMPTY', 'filters');
}

function assertNew(definitions: Definitions<unknown>, id: string, otherwise: RejectionFact): void {
  if (definitions.has(id)) throw new Rejection(otherwise);
  if (definitions.size >= RECORD_KINDS.goals.atMost) throw new Rejection('DEFINITIONS_FULL');
}

function assertNameIsFree(definitions: Definitions<{ readonly name: string }>, id: string, name: string): void {
  for (const [other, definition] of definitions)
    if (other !== id && definition.name === name) throw new Rejection('NAME_TAKEN', 'name');
}

function existing<Details>(definitions: Definitions<Details>, id: string, otherwise: RejectionFact): Details {
  const details = definitions.get(id);
  if (!details) throw new Rejection(otherwise);
  return details;
}

const including = <Details>(definitions: Definitions<Details>, id: string, details: Details): Definitions<Details> =>
  new Map(definitions).set(id, details);

function excluding<Details>(definitions: Definitions<Details>, id: string): Definitions<Details> {
  const left = new Map(definitions);
  left.delete(id);
  return left;
}
