import type { RejectionFact } from '@ledgerline/contracts/errors/rejection';
import type {
  IncidentCreated,
  IncidentDeleted,
  IncidentDetails,
  IncidentUpdated,
  MaintenanceRepeat,
} from '@ledgerline/contracts/events/status-page.events';
import { specify } from '@test/domain/given';
import { decide } from '../decider';
import { incident, type CreateIncident, type DeleteIncident, type UpdateIncident } from './incident.decider';

const given = specify(incident);

const REPEAT: MaintenanceRepeat = {
  every: 'week',
  interval: 1,
  weekdays: ['tuesday', 'thursday'],
  monthDay: null,
  timezone: 'Europe/Berlin',
  startTime: '02:00',
  durationMinutes: 60,
  from: '2026-11-01',
  until: null,
};

const AT = '2026-11-01T10:00:00.000Z';
const LATER = '2026-11-01T11:00:00.000Z';
const FIRST = { at: AT, status: 'investigating' as const, message: 'We are looking.' };
const ABOUT = {
  incidentId: 'inc_1',
  organizationId: 'org_1',
  statusPageId: 'status_1',
  title: 'Orders fail',
  severity: 'major' as const,
  status: 'investigating' as const,
  monitorIds: [],
  startsAt: null,
  endsAt: null,
};
const DETAILS = { ...ABOUT, repeat: null, repeatSetAt: null, resolvedAt: null, updates: [FIRST] };

const create = (more: Partial<CreateIncident['data']> = {}): CreateIncident => ({
  type: 'CreateIncident',
  data: { ...ABOUT, repeat: null, message: FIRST.message, at: AT, ...more },
});
const created = (more: Partial<IncidentDetails> = {}): IncidentCreated => ({
  type: 'IncidentCreated',
  data: { ...DETAILS, ...more },
});
const update = (
  changes: UpdateIncident['data']['changes'],
  reported: UpdateIncident['data']['update'] = null,
): UpdateIncident => ({ type: 'UpdateIncident', data: { changes, update: reported, at: LATER } });
const remove: DeleteIncident = { type: 'DeleteIncident', data: {} };
const deleted: IncidentDeleted = {
  type: 'IncidentDeleted',
  data: { incidentId: 'inc_1', organizationId: 'org_1', statusPageId: 'status_1', title: 'Orders fail' },
};

describe('an incident', () => {
  it('is reported once, with its first update', () => {
    given().when(create()).then(created());
    given(created()).when(create()).rejects('INCIDENT_EXISTS');
  });

  it('goes on with updates, until it is resolved', () => {
    const second = { status: 'monitoring', message: 'It works again.' } as const;
    const data = {
      ...DETAILS,
      status: second.status,
      updates: [...DETAILS.updates, { at: LATER, ...second }],
      before: { status: 'investigating' as const, updates: DETAILS.updates },
    };
    given(created()).when(update({}, second)).then({ type: 'IncidentUpdated', data });
    const resolved = { status: 'resolved', message: 'It is over.' } as const;
    given(created())
      .when(update({}, resolved))
      .then({
        type: 'IncidentUpdated',
        data: {
          ...DETAILS,
          status: 'resolved',
          resolvedAt: LATER,
          updates: [...DETAILS.updates, { at: LATER, ...resolved }],
          before: { status: 'investigating', resolvedAt: null, updates: DETAILS.updates },
        },
      });
  });

  it('may be reported when it is over', () =>
    given()
      .when(create({ status: 'resolved' }))
      .then(created({ status: 'resolved', resolvedAt: AT, updates: [{ ...FIRST, status: 'resolved' }] })));

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ title: 'Orders fail' }))
      .then());

  it('has times if and only if it is a maintenance, which ends after it begins', () => {
    const planned = { severity: 'maintenance', startsAt: AT, endsAt: LATER } as const;
    given().when(create(planned)).then(created(planned));
    for (const wrong of [
      { startsAt: AT, endsAt: LATER },
      { severity: 'maintenance' },
      { severity: 'maintenance', startsAt: AT },
      { severity: 'maintenance', startsAt: LATER, endsAt: AT },
    ] as const)
      given().when(create(wrong)).rejects('MAINTENANCE_INVALID');
    given(created())
      .when(update({ severity: 'maintenance' }))
      .rejects('MAINTENANCE_INVALID');
  });

  it('takes no more updates than an event can hold', () =>
    given(created())
      .when(update({}, { status: 'monitoring', message: 'ü'.repeat(12_000) }))
      .rejects('INCIDENT_UPDATES_TOO_LONG'));

  it('is about each monitor once', () =>
    given()
      .when(create({ monitorIds: ['mon_1', 'mon_1'] }))
      .rejects('MONITORS_REPEATED'));

  it('is deleted for good', () => {
    given(created()).when(remove).then(deleted);
    given(created(), deleted).when(remove).rejects('INCIDENT_NOT_FOUND');
    given(created(), deleted)
      .when(update({ title: 'Late' }))
      .rejects('INCIDENT_NOT_FOUND');
  });
});

describe('a maintenance that repeats', () => {
  const repeating = { severity: 'maintenance', repeat: REPEAT, repeatSetAt: AT } as const;
  const { repeatSetAt: _, ...planned } = repeating;

  it('is planned with its days in their order and the name of its zone', () => {
    const written = { ...REPEAT, timezone: 'europe/berlin', weekdays: ['thursday', 'tuesday'] } as const;
    given()
      .when(create({ ...planned, repeat: written }))
      .then(created(repeating));
    given(created(repeating))
      .when(update({ repeat: written }))
      .then();
  });

  it.each<[Partial<MaintenanceRepeat>, RejectionFact, string]>([
    [{ timezone: 'Mars/Base' }, 'TIMEZONE_UNKNOWN', 'timezone'],
    [{ weekdays: [] }, 'REPEAT_WEEKDAYS_INVALID', 'weekdays'],
    [{ every: 'day' }, 'REPEAT_WEEKDAYS_INVALID', 'weekdays'],
    [{ weekdays: ['monday', 'monday'] }, 'REPEAT_WEEKDAYS_REPEATED', 'weekdays'],
    [{ monthDay: 3 }, 'REPEAT_MONTH_DAY_INVALID', 'monthDay'],
    [{ every: 'month', weekdays: [] }, 'REPEAT_MONTH_DAY_INVALID', 'monthDay'],
    [{ durationMinutes: 2 * 1_440 }, 'REPEAT_TOO_LONG', 'durationMinutes'],
    [{ weekdays: ['sunday', 'monday'], durationMinutes: 1_440 }, 'REPEAT_TOO_LONG', 'durationMinutes'],
    [{ weekdays: ['sunday'], durationMinutes: 7 * 1_440 }, 'REPEAT_TOO_LONG', 'durationMinutes'],
    [{ every: 'day', weekdays: [], durationMinutes: 1_440 }, 'REPEAT_TOO_LONG', 'durationMinutes'],
    [{ every: 'month', weekdays: [], monthDay: 1, durationMinutes: 28 * 1_440 }, 'REPEAT_TOO_LONG', 'durationMinutes'],
    [{ until: '2026-10-31' }, 'REPEAT_EMPTY', 'until'],
    [{ until: '2026-11-02' }, 'REPEAT_EMPTY', 'until'],
    [{ every: 'month', weekdays: [], interval: 12, monthDay: 31 }, 'REPEAT_EMPTY', 'monthDay'],
  ])('is refused with %j: %s', (wrong, fact, field) => {
    const command = create({ ...planned, repeat: { ...REPEAT, ...wrong } });
    expect(() => decide(incident, [], command)).toThrow(
      expect.objectContaining({ fact, field: `repeat.${field}` }) as Error,
    );
  });

  it.each<Partial<MaintenanceRepeat>>([
    { weekdays: ['sunday', 'monday'], durationMinutes: 1_439 },
    { weekdays: ['sunday'], interval: 2, durationMinutes: 8 * 1_440 },
    { every: 'day', interval: 2, weekdays: [], durationMinutes: 1_440 },
    { every: 'month', weekdays: [], monthDay: 29, interval: 12, from: '2097-02-01' },
  ])('may have %j', (more) =>
    expect(decide(incident, [], create({ ...planned, repeat: { ...REPEAT, ...more } }))).toHaveLength(1),
  );

  it('has no times besides, and is no incident', () => {
    given()
      .when(create({ ...planned, startsAt: AT, endsAt: LATER }))
      .rejects('REPEAT_INVALID');
    given()
      .when(create({ ...planned, severity: 'minor' }))
      .rejects('REPEAT_INVALID');
    given(created(repeating))
      .when(update({ repeat: null }))
      .rejects('MAINTENANCE_INVALID');
  });

  it('is changed from then on', () => {
    const repeat = { ...REPEAT, startTime: '03:00' };
    const before = { repeat: REPEAT, repeatSetAt: AT };
    given(created(repeating))
      .when(update({ repeat }))
      .then({ type: 'IncidentUpdated', data: { ...DETAILS, ...repeating, repeat, repeatSetAt: LATER, before } });
    const once = { repeat: null, startsAt: AT, endsAt: LATER };
    expect(decide(incident, [created(repeating)], update(once))).toMatchObject([
      { data: { ...once, repeatSetAt: null } },
    ]);
  });

  it('is ended for one occurrence alone', () => {
    const ended = { status: 'resolved', message: 'Done.', occurrence: '2026-11-03' } as const;
    const updates = [FIRST, { at: LATER, ...ended }];
    given(created(repeating))
      .when(update({}, ended))
      .then({ type: 'IncidentUpdated', data: { ...DETAILS, ...repeating, updates, before: { updates: [FIRST] } } });
    for (const occurrence of ['2026-11-04', '2026-10-29'])
      given(created(repeating))
        .when(update({}, { ...ended, occurrence }))
        .rejects('OCCURRENCE_UNKNOWN');
    given(created()).when(update({}, ended)).rejects('OCCURRENCE_UNKNOWN');
  });

  it('is ended as a whole, and goes on from when it is said to', () => {
    const end = update({}, { status: 'resolved', message: 'No more.' });
    const [over] = decide(incident, [created(repeating)], end) as [IncidentUpdated];
    expect(over.data).toMatchObject({ status: 'resolved', resolvedAt: LATER, repeatSetAt: AT });
    const goesOn = update({}, { status: 'monitoring', message: 'Again.' });
    expect(decide(incident, [created(repeating), over], goesOn)).toMatchObject([
      { data: { resolvedAt: null, repeatSetAt: LATER } },
    ]);
  });

  it('makes room for what is said about an occurrence by what was said about earlier ones', () => {
    const about = (occurrence: string, length: number) =>
      ({ at: AT, status: 'resolved', message: 'x'.repeat(length), occurrence }) as const;
    const history = created({
      ...repeating,
      updates: [FIRST, about('2026-11-03', 12_000), about('2026-11-05', 6_000)],
    });
    const { at, ...last } = about('2026-11-10', 12_000);
    const [changed] = decide(incident, [history], update({}, last)) as [IncidentUpdated];
    expect(at).toBe(AT);
    expect(changed.data.updates.map(({ occurrence }) => occurrence)).toEqual([undefined, '2026-11-05', '2026-11-10']);
    given(history)
      .when(update({}, about('2026-11-10', 25_000)))
      .rejects('INCIDENT_UPDATES_TOO_LONG');
  });
});
