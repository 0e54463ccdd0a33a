import { REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import type {
  FunnelCreated,
  FunnelSettings,
  GoalCreated,
  GoalSettings,
  SegmentCreated,
  SegmentSettings,
} from '@ledgerline/contracts/events/definition.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { specify } from '@test/domain/given';
import {
  funnel,
  goal,
  segment,
  type FunnelCommand,
  type GoalCommand,
  type SegmentCommand,
} from './definitions.decider';

const OF = { organizationId: 'org_1', websiteId: 'site_1' };
const PAGE = { kind: 'page' } as const;
const ORDER = { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'order' }] } as const;
const WORTH = { property: 'total', currency: 'EUR' };

describe('a goal', () => {
  it('is created once', () => {
    given().when(create()).then(created());
    given(created()).when(create()).rejects('GOAL_EXISTS');
  });

  it('has a name of its own among those of its website, which a change or a deletion makes free', () => {
    given(created()).when(create('goal_2')).rejects('NAME_TAKEN');
    given(created(), created('goal_2', { name: 'Other' }))
      .when(update({ name: 'Other' }))
      .rejects('NAME_TAKEN');
    given(created(), created('goal_2', { name: 'Other' }))
      .when(update({ name: 'Signup' }))
      .then();
    given(created(), updated({ name: 'New' }, { name: 'Signup' }))
      .when(create('goal_2'))
      .then(created('goal_2'));
    given(created(), deleted).when(create('goal_2')).then(created('goal_2'));
  });

  it('is one of at most 500', () => {
    const all = Array.from({ length: RECORD_KINDS.goals.atMost }, (_, n) =>
      created(`goal_${n}`, { name: `Goal ${n}` }),
    );
    given(...all.slice(1))
      .when(create('goal_new', { name: 'New' }))
      .then(created('goal_new', { name: 'New' }));
    given(...all)
      .when(create('goal_new', { name: 'New' }))
      .rejects('DEFINITIONS_FULL');
    expect(REJECTIONS.DEFINITIONS_FULL.message).toContain(` ${RECORD_KINDS.goals.atMost} `);
  });

  it('is updated, and keeps what its fields held before', () =>
    given(created())
      .when(update({ condition: ORDER, value: WORTH }))
      .then(updated({ condition: ORDER, value: WORTH }, { condition: PAGE, value: null })));

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ condition: { kind: 'page' }, value: null }))
      .then());

  it('has a value only of custom events', () => {
    given()
      .when(create('goal_1', { value: WORTH }))
      .rejects('GOAL_VALUE_INVALID');
    given(created('goal_1', { condition: ORDER, value: WORTH }))
      .when(update({ condition: PAGE }))
      .rejects('GOAL_VALUE_INVALID');
  });

  it('is not found after it is deleted, or under another id', () => {
    given(created()).when(remove).then(deleted);
    given(created(), deleted).when(remove).rejects('GOAL_NOT_FOUND');
    given(created(), deleted)
      .when(update({ name: 'Late' }))
      .rejects('GOAL_NOT_FOUND');
    given(created('goal_2')).when(remove).rejects('GOAL_NOT_FOUND');
  });

  const given = specify(goal);
  const DATA = { ...OF, name: 'Signup', condition: PAGE, value: null };
  const create = (goalId = 'goal_1', more: Partial<GoalSettings> = {}): GoalCommand => ({
    type: 'CreateGoal',
    data: { goalId, ...DATA, ...more },
  });
  const created = (goalId = 'goal_1', more: Partial<GoalSettings> = {}): GoalCreated => ({
    type: 'GoalCreated',
    data: { goalId, ...DATA, ...more },
  });
  const update = (changes: Partial<GoalSettings>): GoalCommand => ({
    type: 'UpdateGoal',
    data: { goalId: 'goal_1', changes },
  });
  const updated = (more: Partial<GoalSettings>, before: Partial<GoalSettings>) =>
    ({ type: 'GoalUpdated', data: { goalId: 'goal_1', ...DATA, ...more, before } }) as const;
  const remove: GoalCommand = { type: 'DeleteGoal', data: { goalId: 'goal_1' } };
  const deleted = { type: 'GoalDeleted', data: { goalId: 'goal_1', ...DATA } } as const;
});

describe('a funnel', () => {
  it('is created, renamed and deleted, with a name of its own', () => {
    given().when(create()).then(created());
    given(created()).when(create()).rejects('FUNNEL_EXISTS');
    given(created()).when(create('funnel_2')).rejects('NAME_TAKEN');
    given(created())
      .when(update({ name: 'Orders', window: '1d' }))
      .then({
        type: 'FunnelUpdated',
        data: {
          funnelId: 'funnel_1',
          ...DATA,
          name: 'Orders',
          window: '1d',
          before: { name: 'Checkout', window: null },
        },
      });
    given(created(), created('funnel_2', { name: 'Other' }))
      .when(update({ name: 'Other' }))
      .rejects('NAME_TAKEN');
    given(created()).when(update({})).then();
    given(created()).when(remove).then(deleted);
    given(created(), deleted).when(remove).rejects('FUNNEL_NOT_FOUND');
    given(created(), deleted)
      .when(update({ name: 'Late' }))
      .rejects('FUNNEL_NOT_FOUND');
  });

  const given = specify(funnel);
  const steps = [{ condition: PAGE }, { name: 'Order', condition: ORDER }];
  const DATA = { ...OF, name: 'Checkout', steps, window: null, order: 'ordered', per: 'visitor' } as const;
  const create = (funnelId = 'funnel_1'): FunnelCommand => ({ type: 'CreateFunnel', data: { funnelId, ...DATA } });
  const created = (funnelId = 'funnel_1', more: Partial<FunnelSettings> = {}): FunnelCreated => ({
    type: 'FunnelCreated',
    data: { funnelId, ...DATA, ...more },
  });
  const update = (changes: Partial<FunnelSettings>): FunnelCommand => ({
    type: 'UpdateFunnel',
    data: { funnelId: 'funnel_1', changes },
  });
  const remove: FunnelCommand = { type: 'DeleteFunnel', data: { funnelId: 'funnel_1' } };
  const deleted = { type: 'FunnelDeleted', data: { funnelId: 'funnel_1', ...DATA } } as const;
});

describe('a segment', () => {
  it('is created, changed and deleted, with a name of its own', () => {
    given().when(create()).then(created());
    given(created()).when(create()).rejects('SEGMENT_EXISTS');
    given(created()).when(create('seg_2')).rejects('NAME_TAKEN');
    given(created())
      .when(update({ filters: [] }))
      .then({
        type: 'SegmentUpdated',
        data: { segmentId: 'seg_1', ...DATA, filters: [], before: { filters: DATA.filters } },
      });
    given(created(), created('seg_2', { name: 'Other' }))
      .when(update({ name: 'Other' }))
      .rejects('NAME_TAKEN');
    given(created()).when(update({})).then();
    given(created()).when(remove).then(deleted);
    given(created(), deleted).when(remove).rejects('SEGMENT_NOT_FOUND');
    given(created(), deleted)
      .when(update({ name: 'Late' }))
      .rejects('SEGMENT_NOT_FOUND');
  });

  it('says something of sessions', () => {
    given()
      .when(create('seg_1', { filters: [], did: [] }))
      .rejects('SEGMENT_EMPTY');
    given(created('seg_1', { filters: [] }))
      .when(update({ did: [] }))
      .rejects('SEGMENT_EMPTY');
  });

  const given = specify(segment);
  const filters = [{ field: 'country', op: 'eq', value: 'DE' }] as const;
  const did = [{ condition: ORDER, within: 'session', not: true }] as const;
  const DATA = { organizationId: 'org_1', websiteId: null, name: 'Buyers', filters, did };
  const create = (segmentId = 'seg_1', more: Partial<SegmentSettings> = {}): SegmentCommand => ({
    type: 'CreateSegment',
    data: { segmentId, ...DATA, ...more },
  });
  const created = (segmentId = 'seg_1', more: Partial<SegmentSettings> = {}): SegmentCreated => ({
    type: 'SegmentCreated',
    data: { segmentId, ...DATA, ...more },
  });
  const update = (changes: Partial<SegmentSettings>): SegmentCommand => ({
    type: 'UpdateSegment',
    data: { segmentId: 'seg_1', changes },
  });
  const remove: SegmentCommand = { type: 'DeleteSegment', data: { segmentId: 'seg_1' } };
  const deleted = { type: 'SegmentDeleted', data: { segmentId: 'seg_1', ...DATA } } as const;
});
