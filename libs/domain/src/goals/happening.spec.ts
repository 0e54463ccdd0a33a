import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import { happeningOf } from './happening';

describe('what charts show of an event', () => {
  it('is a changed target of a link, without query strings and credentials', () => {
    const text = (before: string, targetUrl: string) =>
      happening('LinkUpdated', { ...LINK, targetUrl, before: { targetUrl: before } })?.text;
    expect(text('https://a.example/old?token=1#x', 'https://me:secret@b.example/new?key=2')).toBe(
      'Target of the link Poster changed from https://a.example/old to https://b.example/new',
    );
    expect(text('https://a.example/?utm_source=x', 'https://a.example/?utm_source=y')).toBe(
      'Query string of the target of the link Poster changed: https://a.example/',
    );
    const long = text('https://a.example/', `https://b.example/${'x'.repeat(8_000)}`)!;
    expect([long.length < 300, long.endsWith('x…')]).toEqual([true, true]);
    expect(happening('LinkUpdated', { ...LINK, name: 'Flyer', before: { name: 'Poster' } })).toBeUndefined();
  });

  it('is a flag that is created, changed or deleted, without values of rules and payloads', () => {
    const flag = { flagId: 'flag_1', organizationId: 'org_1', websiteId: null, key: 'beta', status: 'active' };
    expect(happening('FlagCreated', flag)).toEqual({
      kind: 'flag_changed',
      organizationId: 'org_1',
      websiteId: null,
      subject: 'flag_1',
      text: 'Flag beta created: active',
    });
    const before = { status: 'inactive', ruleValues: 'SECRET', payload: { token: 'SECRET' } };
    const changed = { ...flag, ruleValues: 'SECRET', payload: 'SECRET', before };
    expect(happening('FlagUpdated', changed)?.text).toBe(
      'Flag beta changed: status from inactive to active, rule values, payload',
    );
    expect(happening('FlagDeleted', { ...flag, websiteId: 'site_1' })).toMatchObject({
      websiteId: 'site_1',
      text: 'Flag beta deleted',
    });
  });

  it('is a change of settings of a website', () =>
    expect(
      happening('WebsiteUpdated', {
        websiteId: 'site_1',
        organizationId: 'org_1',
        name: 'Shop',
        isPublic: true,
        retentionDays: 30,
        allowedOrigins: ['b.example'],
        before: { isPublic: false, retentionDays: null, allowedOrigins: [] },
      }),
    ).toEqual({
      kind: 'website_changed',
      organizationId: 'org_1',
      websiteId: 'site_1',
      subject: 'site_1',
      text: 'Settings of the website Shop changed: is public from false to true, retention days from none to 30, allowed origins',
    }));

  it('is an incident that is opened, resolved and opened again, and no maintenance', () => {
    const incident = {
      incidentId: 'inc_1',
      organizationId: 'org_1',
      title: 'Orders fail',
      severity: 'major',
      resolvedAt: null,
    };
    const kindOf = (type: string, data: object) => happening(type, { ...incident, ...data })?.kind;
    expect(kindOf('IncidentCreated', {})).toBe('incident_opened');
    expect(kindOf('IncidentUpdated', { before: { title: 'Orders' } })).toBeUndefined();
    const resolved = { resolvedAt: '2026-11-27T12:00:00.000Z' };
    expect(kindOf('IncidentUpdated', { ...resolved, before: { resolvedAt: null } })).toBe('incident_resolved');
    expect(happening('IncidentUpdated', { ...incident, before: resolved })).toMatchObject({
      kind: 'incident_opened',
      text: 'Incident opened again: Orders fail',
    });
    const planned = { severity: 'maintenance' };
    expect(kindOf('IncidentCreated', planned)).toBeUndefined();
    expect(kindOf('IncidentUpdated', { ...planned, ...resolved, before: { resolvedAt: null } })).toBeUndefined();
  });

  it('is nothing of any other event', () => {
    for (const type of ['LinkCreated', 'LinkDeleted', 'AnnotationCreated', 'MonitorUpdated', 'WebsiteRegistered'])
      expect(happening(type, LINK)).toBeUndefined();
  });
});

const LINK = { linkId: 'link_1', organizationId: 'org_1', name: 'Poster', targetUrl: 'https://a.example/' };

/** Only the fields that are read are given. */
const happening = (type: string, data: object) => happeningOf({ type, data } as unknown as DecidedEvent);
