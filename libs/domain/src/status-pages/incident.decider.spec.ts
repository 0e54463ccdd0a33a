import type { IncidentCreated, IncidentDeleted, IncidentDetails } from '@ledgerline/contracts/events/incident.events';
import { specify } from '@test/domain/given';
import { incident, type CreateIncident, type DeleteIncident, type UpdateIncident } from './incident.decider';
import { withIncidents } from './overall';

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

describe('a page with incidents', () => {
  it.each([
    ['operational', [], 'operational'],
    ['operational', ['minor'], 'degraded'],
    ['unknown', ['major'], 'degraded'],
    ['degraded', ['critical'], 'outage'],
    ['outage', ['minor'], 'outage'],
    ['operational', ['maintenance'], 'operational'],
  ] as const)('that is %s by its monitors is with %j %s', (status, severities, overall) =>
    expect(
      withIncidents(
        status,
        severities.map((severity) => incidentOf({ severity })),
        NOW,
      ),
    ).toBe(overall),
  );

  it.each([
    ['operational', [], 'maintenance'],
    ['unknown', [], 'maintenance'],
    ['degraded', [], 'degraded'],
    ['operational', ['minor'], 'degraded'],
    ['operational', ['critical'], 'outage'],
  ] as const)('that is %s by its monitors is under maintenance with %j %s', (status, severities, overall) => {
    const others = severities.map((severity) => incidentOf({ severity }));
    expect(withIncidents(status, [maintenance(AT, LATER), ...others], NOW)).toBe(overall);
  });

  it('is not worse by what is over, or planned for later', () => {
    const over = [incidentOf({ severity: 'critical', resolvedAt: AT }), maintenance(AT, LATER, AT)];
    for (const each of [...over, maintenance(LATER, END), maintenance('2026-11-01T09:00:00Z', AT)])
      expect(withIncidents('operational', [each], NOW)).toBe('operational');
  });

  const NOW = Date.parse('2026-11-01T10:30:00Z');
  const END = '2026-11-01T12:00:00.000Z';
  const incidentOf = (more: Partial<IncidentDetails>) => ({
    severity: 'minor' as const,
    resolvedAt: null,
    startsAt: null,
    endsAt: null,
    ...more,
  });
  const maintenance = (startsAt: string, endsAt: string, resolvedAt: string | null = null) =>
    incidentOf({ severity: 'maintenance', startsAt, endsAt, resolvedAt });
});

const given = specify(incident);

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
const DETAILS = { ...ABOUT, resolvedAt: null, updates: [FIRST] };

const create = (more: Partial<CreateIncident['data']> = {}): CreateIncident => ({
  type: 'CreateIncident',
  data: { ...ABOUT, message: FIRST.message, at: AT, ...more },
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
