import type { AlertCreated, AlertDetails } from '@ledgerline/contracts/events/alert.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { specify } from '@test/domain/given';
import { type AlertCommand, alert, plainAlert } from './alert.decider';

describe('an alert', () => {
  it('has a name of its own, and is one of at most 100', () => {
    given(created('alr_1')).when(create('alr_2')).rejects('NAME_TAKEN');
    const all = Array.from({ length: RECORD_KINDS.alerts.atMost }, (_, n) => created(`alr_${n}`, { name: `${n}` }));
    given(...all)
      .when(create('alr_new'))
      .rejects('ALERTS_FULL');
  });

  it.each<readonly [Partial<AlertDetails>, Parameters<ReturnType<ReturnType<typeof given>['when']>['rejects']>[0]]>([
    [{ websiteId: null }, 'ALERT_SUBJECT_INVALID'],
    [{ linkId: 'link_1' }, 'ALERT_SUBJECT_INVALID'],
    [{ websiteId: null, linkId: 'link_1' }, 'ALERT_FIGURE_INVALID'],
    [{ figure: 'clicks' }, 'ALERT_FIGURE_INVALID'],
    [{ websiteId: null, linkId: 'link_1', figure: 'clicks', segment: 'seg_1' }, 'ALERT_SEGMENT_INVALID'],
    [{ figure: 'conversions' }, 'ALERT_GOAL_INVALID'],
    [{ goalId: 'goal_1' }, 'ALERT_GOAL_INVALID'],
    [{ figure: 'visitors', window: { minutes: 30 } }, 'ALERT_WINDOW_INVALID'],
    [{ figure: 'lcp', window: { minutes: 5 } }, 'ALERT_WINDOW_INVALID'],
    [{ figure: 'bounce_rate', window: { minutes: 720 }, graceSeconds: 3_600 }, 'ALERT_WINDOW_INVALID'],
    [{ figure: 'bounce_rate', window: { minutes: 1_440 } }, 'ALERT_GRACE_INVALID'],
    [{ compare: 'below', threshold: null }, 'ALERT_THRESHOLD_INVALID'],
    [{ compare: 'silence' }, 'ALERT_THRESHOLD_INVALID'],
    [{ compare: 'changed', threshold: null }, 'ALERT_PERCENT_INVALID'],
    [{ percent: 50 }, 'ALERT_PERCENT_INVALID'],
    [{ compare: 'changed', threshold: null, percent: 100, direction: 'down' }, 'ALERT_PERCENT_INVALID'],
    [{ direction: 'up' }, 'ALERT_DIRECTION_INVALID'],
    [{ compare: 'below', minimum: 5 }, 'ALERT_MINIMUM_INVALID'],
    [{ figure: 'lcp', window: { minutes: 60 }, compare: 'silence', threshold: null }, 'ALERT_SILENCE_INVALID'],
    [{ quietHours: { from: '22:00', to: '22:00' } }, 'ALERT_QUIET_HOURS_INVALID'],
  ])('is none with %j', (more, fact) => given().when(create('alr_1', more)).rejects(fact));

  it('may be about each of these', () => {
    for (const more of [
      { compare: 'silence', threshold: null },
      { compare: 'changed', threshold: null, percent: 300, minimum: 20 },
      { figure: 'conversions', goalId: 'goal_1', window: { minutes: 5 } },
      { figure: 'session_duration', window: { minutes: 10_080 }, graceSeconds: 3_600 },
      { websiteId: null, linkId: 'link_1', figure: 'clicks' },
    ] as const)
      given().when(create('alr_1', more)).then(created('alr_1', more));
  });

  it('is paused once, until it is enabled again', () => {
    const pause = { type: 'PauseAlert', data: { alertId: 'alr_1', pausedFor: 'rights' } } as const;
    const paused = { ...created('alr_1').data, enabled: false, pausedFor: 'rights' } as const;
    const event = { type: 'AlertPaused', data: { ...paused, before: { enabled: true, pausedFor: null } } } as const;
    given(created('alr_1')).when(pause).then(event);
    given(created('alr_1'), event).when(pause).then();
    given().when(pause).rejects('ALERT_NOT_FOUND');
    given(created('alr_1'), event)
      .when({ type: 'UpdateAlert', data: { alertId: 'alr_1', changes: { enabled: true, pausedFor: null } } })
      .then({
        type: 'AlertUpdated',
        data: { ...created('alr_1').data, before: { enabled: false, pausedFor: 'rights' } },
      });
  });
});

const given = specify(alert);

const DETAILS: AlertDetails = {
  ...plainAlert,
  organizationId: 'org_1',
  websiteId: 'site_1',
  name: 'Many views',
  figure: 'pageviews',
  window: { minutes: 15 },
  compare: 'above',
  threshold: 100,
  pausedFor: null,
  author: { type: 'user', id: 'usr_1' },
};

const created = (alertId: string, more: Partial<AlertDetails> = {}): AlertCreated => ({
  type: 'AlertCreated',
  data: { alertId, ...DETAILS, ...more },
});
const create = (alertId: string, more: Partial<AlertDetails> = {}): AlertCommand => ({
  type: 'CreateAlert',
  data: created(alertId, more).data,
});
