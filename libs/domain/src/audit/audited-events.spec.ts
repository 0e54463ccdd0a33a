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

  it('is what a deleted thing was called', () =>
    expect(
      auditedEvent({ ...link('LinkDeleted'), data: { linkId: 'link_1', organizationId: 'org_1', name: 'Sale' } }),
    ).toEqual({ action: 'link.deleted', target: { type: 'link', id: 'link_1', name: 'Sale' }, changes: {} }));

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

  it('is its stream where something else wrote it, whatever it holds', () => {
    const unknown = {
      action: 'unknown',
      target: { type: 'unknown', id: 'org_1-link-link_1', name: null },
      changes: {},
    };
    for (const type of ['SomethingElse', 'constructor']) expect(auditedEvent(link(type))).toEqual(unknown);
    for (const data of [null, 'text', 7, [], {}, { name: 7, before: null }, { before: 'text' }])
      expect(auditedEvent({ ...link('LinkUpdated'), data })).toEqual({
        action: 'link.updated',
        target: { type: 'link', id: null, name: null },
        changes: {},
      });
  });

  it('has every action once', () => expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length));
});

const link = (type: string) => ({ type, data: {} as unknown, stream: 'org_1-link-link_1' });
