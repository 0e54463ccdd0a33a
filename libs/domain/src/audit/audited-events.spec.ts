import fc from 'fast-check';
import { AUDIT_ACTIONS, auditedEvent } from './audited-events';

describe('what the audit log shows of an event', () => {
  it('is its action, its target and each change with what it was before', () =>
    expect(
      auditedEvent({
        ...link('LinkUpdated'),
        data: { linkId: 'link_1', organizationId: 'org_1', name: 'Sale', slug: 'sale', before: { name: 'Spring' } },
      }),
    ).toEqual({
      action: 'link.updated',
      target: { type: 'link', id: 'link_1', name: 'Sale' },
      changes: { name: { before: 'Spring', after: 'Sale' } },
    }));

  it('is what a deleted thing was, without ids and without what it did not have', () => {
    const target = { type: 'link', id: 'link_1', name: 'Sale' };
    const earlier = { linkId: 'link_1', organizationId: 'org_1', name: 'Sale', slug: 'sale' };
    const changes = { name: { before: 'Sale', after: null }, slug: { before: 'sale', after: null } };
    expect(auditedEvent({ ...link('LinkDeleted'), data: earlier })).toEqual({
      action: 'link.deleted',
      target,
      changes,
    });
    const data = { ...earlier, targetUrl: 'https://example.com/', externalId: null };
    expect(auditedEvent({ ...link('LinkDeleted'), data })).toEqual({
      action: 'link.deleted',
      target,
      changes: { ...changes, targetUrl: { before: 'https://example.com/', after: null } },
    });
  });

  it('is what a new thing began with, without ids and without what it does not have', () => {
    const data = { linkId: 'link_1', organizationId: 'org_1', createdBy: 'usr_1', name: 'Sale', externalId: null };
    expect(auditedEvent({ ...link('LinkCreated'), data }).changes).toEqual({ name: { before: null, after: 'Sale' } });
  });

  it('is not the id of a secret', () => {
    const data = {
      keyId: 'key_1',
      organizationId: 'org_1',
      name: 'Server',
      secretId: 'sec_2',
      start: 'svc_b',
      before: { start: 'svc_a' },
    };
    for (const type of ['ApiKeyCreated', 'ApiKeyRotated'])
      expect(JSON.stringify(auditedEvent({ ...link(type), data }))).not.toContain('sec_2');
  });

  it('is that the values of rules changed, and not whom they name', () => {
    const data = { flagId: 'flag_1', name: 'Beta', ruleValues: 'B', before: { ruleValues: 'A', name: 'Alpha' } };
    expect(auditedEvent({ ...link('FlagUpdated'), data }).changes).toEqual({
      ruleValues: { before: 'encrypted', after: 'encrypted' },
      name: { before: 'Alpha', after: 'Beta' },
    });
    for (const wrong of [null, { before: null }, { ruleValues: 7 }])
      expect(auditedEvent({ ...link('FlagUpdated'), data: wrong }).changes).toEqual({});
  });

  it('is its stream where something else wrote it, or it does not say what it is about', () => {
    for (const type of ['SomethingElse', 'constructor']) expect(auditedEvent(link(type))).toEqual(unknown);
    for (const data of [null, 'text', 7, [], {}, { name: 7, before: null }, { linkId: 7, before: { name: 'A' } }])
      expect(auditedEvent({ ...link('LinkUpdated'), data })).toEqual(unknown);
    for (const subject of [undefined, null, 'usr_1', {}, { userId: 7 }, { invitationId: 7 }, { profile: null }])
      expect(auditedEvent({ ...link('SubjectErased'), data: { subject } })).toEqual(unknown);
  });

  it('of an erasure is about whom it erased', () => {
    const targetOf = (subject: object) => auditedEvent({ ...link('SubjectErased'), data: { subject } }).target;
    expect(targetOf({ userId: 'usr_1' })).toEqual({ type: 'person', id: 'usr_1', name: null });
    expect(targetOf({ invitationId: 'inv_1' })).toEqual({ type: 'invitation', id: 'inv_1', name: null });
    expect(targetOf({ websiteId: 'site_1', profile: 'p' })).toEqual({ type: 'profile', id: 'p', name: null });
    expect(targetOf({ websiteId: 'site_1', visitors: ['v', 'w'] })).toEqual({ type: 'visitor', id: 'v', name: null });
  });

  it('is something for any data of any type', () => {
    const types = fc.constantFrom('LinkUpdated', 'FlagCreated', 'FlagUpdated', 'OAuthGrantCreated', 'SubjectErased');
    const ids = { linkId: fc.string(), flagId: fc.string(), grantId: fc.string() };
    const named = fc.record({ ...ids, subject: fc.jsonValue(), before: fc.jsonValue() });
    fc.assert(
      fc.property(types, fc.oneof(fc.jsonValue(), named), (type, data) => {
        const { action, target } = auditedEvent({ ...link(type), data });
        expect(typeof target.id).toBe('string');
        expect(action === 'unknown').toBe(target.type === 'unknown');
      }),
    );
  });

  it('has every action once', () => expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length));
});

const unknown = { action: 'unknown', target: { type: 'unknown', id: 'org_1-link-link_1', name: null }, changes: {} };
const link = (type: string) => ({ type, data: {} as unknown, stream: 'org_1-link-link_1' });
