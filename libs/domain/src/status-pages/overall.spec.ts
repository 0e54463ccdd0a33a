import type { IncidentDetails, MaintenanceRepeat } from '@ledgerline/contracts/events/status-page.events';
import { withIncidents } from './overall';

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

  it('is under maintenance in each occurrence of one that repeats, and not between them', () => {
    const repeating = { ...incidentOf({ severity: 'maintenance' }), repeat: DAILY };
    const overall = (now: string) => withIncidents('operational', [repeating], Date.parse(now));
    expect(overall('2026-11-07T10:30:00Z')).toBe('maintenance');
    expect(overall('2026-11-07T11:00:00Z')).toBe('operational');
  });

  const NOW = Date.parse('2026-11-01T10:30:00Z');
  const END = '2026-11-01T12:00:00.000Z';
  const incidentOf = (more: Partial<IncidentDetails>) => ({
    updates: [],
    severity: 'minor' as const,
    resolvedAt: null,
    startsAt: null,
    endsAt: null,
    ...more,
  });
  const maintenance = (startsAt: string, endsAt: string, resolvedAt: string | null = null) =>
    incidentOf({ severity: 'maintenance', startsAt, endsAt, resolvedAt });
});

const AT = '2026-11-01T10:00:00.000Z';
const LATER = '2026-11-01T11:00:00.000Z';

const DAILY: MaintenanceRepeat = {
  every: 'day',
  interval: 1,
  weekdays: [],
  monthDay: null,
  timezone: 'UTC',
  startTime: '10:00',
  durationMinutes: 60,
  from: '2026-11-01',
  until: null,
};
