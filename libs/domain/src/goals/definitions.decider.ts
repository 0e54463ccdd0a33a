import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { FunnelDetails, GoalDetails, SegmentDetails } from '@ledgerline/contracts/events/definition.events';
import { type NamedRecordCommand, namedRecords } from '../named-records';
import { isEmptySegment } from './definition-rules';

export type GoalCommand = NamedRecordCommand<'Goal', 'goalId', GoalDetails>;

export const goal = namedRecords<'goals', GoalCommand>('goals', {
  assertValid({ condition, value }) {
    if (value !== null && condition.kind !== 'event') throw new Rejection('GOAL_VALUE_INVALID', 'value');
  },
});

export type FunnelCommand = NamedRecordCommand<'Funnel', 'funnelId', FunnelDetails>;

export const funnel = namedRecords<'funnels', FunnelCommand>('funnels');

export type SegmentCommand = NamedRecordCommand<'Segment', 'segmentId', SegmentDetails>;

export const segment = namedRecords<'segments', SegmentCommand>('segments', {
  assertValid(details) {
    if (isEmptySegment(details)) throw new Rejection('SEGMENT_EMPTY', 'filters');
  },
});
