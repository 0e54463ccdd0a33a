import type {
  StatusPageCreated,
  StatusPageDeleted,
  StatusPageSettings,
  StatusPageUpdated,
  StatusSlugReserved,
} from '@ledgerline/contracts/events/status-page.events';
import { specify } from '@test/domain/given';
import {
  isStatusSlug,
  statusPage,
  statusSlug,
  type CreateStatusPage,
  type DeleteStatusPage,
  type UpdateStatusPage,
} from './status-page.decider';

describe('a status page', () => {
  it('is created once at its slug', () => {
    given().when(create()).then(created());
    given(created()).when(create('status_2')).rejects('STATUS_PAGE_EXISTS');
  });

  it('is updated, and keeps what its fields held before', () =>
    given(created())
      .when(update({ isPublic: true, monitorIds: ['mon_2'] }))
      .then(updated({ isPublic: true, monitorIds: ['mon_2'] }, { isPublic: false, monitorIds: ['mon_1'] })));

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ name: 'Shop' }))
      .then());

  it('shows each monitor once', () =>
    given(created())
      .when(update({ monitorIds: ['mon_1', 'mon_1'] }))
      .rejects('MONITORS_REPEATED'));

  it('is deleted, and its slug is free for another one of the organization', () => {
    given(created()).when(remove).then(deleted);
    given(created(), deleted).when(remove).rejects('STATUS_PAGE_NOT_FOUND');
    given(created(), deleted).when(create('status_2')).then(created('status_2'));
    given(created(), deleted, created('status_2')).when(remove).rejects('STATUS_PAGE_NOT_FOUND');
  });
});

describe('the slug of a status page', () => {
  it('belongs to one organization for ever', () => {
    slug().when(reserve('org_1')).then(reserved);
    slug(reserved).when(reserve('org_1')).then();
    slug(reserved).when(reserve('org_2')).rejects('SLUG_TAKEN');
    slug().when(reserve('org_1', 'No')).rejects('STATUS_SLUG_INVALID');
  });

  it.each(['abc', 'a-b', 'shop-2', 'a'.repeat(50)])('may be %s', (text) => expect(isStatusSlug(text)).toBe(true));

  it.each(['ab', 'Abc', '-abc', 'abc-', 'a b', 'a/b', 'ä-b', 'a'.repeat(51), ''])('may not be %j', (text) =>
    expect(isStatusSlug(text)).toBe(false),
  );
});

const given = specify(statusPage);
const slug = specify(statusSlug);

const SETTINGS = { name: 'Shop', description: null, monitorIds: ['mon_1'], isPublic: false, timezone: 'UTC' };
const DATA = { organizationId: 'org_1', slug: 'shop', ...SETTINGS };

const create = (statusPageId = 'status_1'): CreateStatusPage => ({
  type: 'CreateStatusPage',
  data: { ...DATA, statusPageId },
});
const created = (statusPageId = 'status_1'): StatusPageCreated => ({
  type: 'StatusPageCreated',
  data: { ...DATA, statusPageId },
});
const update = (changes: Partial<StatusPageSettings>): UpdateStatusPage => ({
  type: 'UpdateStatusPage',
  data: { statusPageId: 'status_1', changes },
});
const updated = (settings: Partial<StatusPageSettings>, before: Partial<StatusPageSettings>): StatusPageUpdated => ({
  type: 'StatusPageUpdated',
  data: { ...DATA, ...settings, statusPageId: 'status_1', before },
});
const remove: DeleteStatusPage = { type: 'DeleteStatusPage', data: { statusPageId: 'status_1' } };
const deleted: StatusPageDeleted = { type: 'StatusPageDeleted', data: { ...DATA, statusPageId: 'status_1' } };
const reserve = (organizationId: string, of = 'shop') =>
  ({ type: 'ReserveStatusSlug', data: { slug: of, organizationId } }) as const;
const reserved: StatusSlugReserved = { type: 'StatusSlugReserved', data: { slug: 'shop', organizationId: 'org_1' } };
