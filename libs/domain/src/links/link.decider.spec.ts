import type { LinkCreated, LinkDeleted, LinkUpdated, SlugReserved } from '@ledgerline/contracts/events/link.events';
import { specify } from '@test/domain/given';
import { omit } from '../decider';
import {
  link,
  plainLink,
  linkSlug,
  type CreateLink,
  type DeleteLink,
  type ReserveSlug,
  type TagLink,
  type UpdateLink,
} from './link.decider';

describe('a link', () => {
  it('is created', () => given().when(create({})).then(created({})));
  it('is created once', () => given(created({})).when(create({})).rejects('LINK_EXISTS'));

  it('expires after its command was started, or never', () => {
    const past = STARTED.toISOString();
    const future = new Date(STARTED.getTime() + 1).toISOString();
    given()
      .when(create({ expiresAt: past }))
      .rejects('EXPIRED');
    given()
      .when(create({ expiresAt: future }))
      .then(created({ expiresAt: future }));
    given()
      .when(create({ expiresAt: null }))
      .then(created({ expiresAt: null }));
  });

  it('leads to web addresses only', () => {
    for (const targetUrl of ['javascript:alert(1)', 'ftp://example.com', 'example.com', 'https://me:pw@example.com'])
      given().when(create({ targetUrl })).rejects('ADDRESS_INVALID');
    for (const field of ['expiredRedirectUrl', 'iosUrl', 'androidUrl', 'ogImageUrl'])
      given()
        .when(create({ [field]: 'javascript:alert(1)' }))
        .rejects('ADDRESS_INVALID');
  });

  it('has a slug that is no route of ours', () => {
    for (const slug of ['', 'a b c', 'ümlaut', 'track', 'ROBOTS.TXT', 'a'.repeat(51)])
      given().when(create({ slug })).rejects('SLUG_INVALID');
  });

  it('is updated, and keeps what its fields held before; null clears', () =>
    given(created({}))
      .when(update({ name: 'Sale', iosUrl: null, targetUrl: data.targetUrl }))
      .then(updated({ name: 'Sale', iosUrl: null }, { name: 'Spring sale', iosUrl: data.iosUrl })));

  it('gets tags and loses others, up to twenty of them', () => {
    given(created({ tagIds: ['tag_a', 'tag_b'] }))
      .when(tag(['tag_b', 'tag_c'], ['tag_a']))
      .then(updated({ tagIds: ['tag_b', 'tag_c'] }, { tagIds: ['tag_a', 'tag_b'] }));
    given(created({ tagIds: ['tag_a'] }))
      .when(tag(['tag_a'], ['tag_b']))
      .then();
    const twenty = Array.from({ length: 20 }, (_, n) => `tag_${n}`);
    given(created({ tagIds: twenty }))
      .when(tag(['tag_a'], []))
      .rejects('LINK_TAGS_FULL');
    given()
      .when(tag(['tag_a'], []))
      .rejects('LINK_NOT_FOUND');
  });

  it('stays without an event when an update changes nothing', () => {
    given(created({})).when(update({})).then();
    given(created({}), updated({ name: 'Sale' }, { name: 'Spring sale' }))
      .when(update({ name: 'Sale' }))
      .then();
  });

  it('is updated by the rules by which it is created', () => {
    for (const field of ['targetUrl', 'expiredRedirectUrl', 'iosUrl', 'androidUrl', 'ogImageUrl'])
      given(created({}))
        .when(update({ [field]: 'javascript:alert(1)' }))
        .rejects('ADDRESS_INVALID');
    given(created({}))
      .when(update({ slug: 'track' }))
      .rejects('SLUG_INVALID');
    given(created({}))
      .when(update({ slug: 'Summer' }))
      .then(updated({ slug: 'Summer' }, { slug: 'Spring-26' }));
  });

  it('is recorded as it was last when it is deleted', () => {
    const renamed = updated({ name: 'Summer' }, { name: 'Spring sale' });
    given(created({}), renamed)
      .when(remove)
      .then({ type: 'LinkDeleted', data: { ...details, name: 'Summer' } });
  });

  it('is deleted once, and then not found', () => {
    given(created({})).when(remove).then(deleted);
    given(created({}), deleted).when(remove).rejects('LINK_NOT_FOUND');
    given(created({}), deleted).when(update({})).rejects('LINK_NOT_FOUND');
    given(created({}), deleted).when(create({})).rejects('LINK_EXISTS');
    given().when(update({})).rejects('LINK_NOT_FOUND');
    given().when(remove).rejects('LINK_NOT_FOUND');
  });
});

describe('a slug', () => {
  it('is reserved for one link', () => givenSlug().when(reserve('Spring')).then(reserved));
  it('is never reserved for another link', () =>
    givenSlug(reserved).when(reserve('Spring', 'link_2')).rejects('SLUG_TAKEN'));
  it('stays with its link, which may go back to it', () => givenSlug(reserved).when(reserve('Spring')).then());
  it('is never the name of a route', () => givenSlug().when(reserve('health')).rejects('SLUG_INVALID'));
});

const given = specify(link);

const data = {
  linkId: 'link_1',
  createdBy: 'usr_1',
  organizationId: 'org_1',
  slug: 'Spring-26',
  name: 'Spring sale',
  targetUrl: 'https://example.com/spring?a=1#b',
  ...plainLink,
  iosUrl: 'https://apps.example.com',
} as const;

type Data = LinkCreated['data'];
const STARTED = new Date('2026-01-01T00:00:00Z');
const create = (changes: Partial<Data>): CreateLink => ({
  type: 'CreateLink',
  data: { ...data, ...changes, startedAt: STARTED },
});
const created = (changes: Partial<Data>): LinkCreated => ({ type: 'LinkCreated', data: { ...data, ...changes } });

const details = omit(data, 'createdBy');
const tag = (add: readonly string[], remove: readonly string[]): TagLink => ({
  type: 'TagLink',
  data: { add, remove },
});
const update = (changes: UpdateLink['data']['changes']): UpdateLink => ({ type: 'UpdateLink', data: { changes } });
const updated = (changes: Partial<Data>, before: LinkUpdated['data']['before']): LinkUpdated => ({
  type: 'LinkUpdated',
  data: { ...details, ...changes, before },
});
const remove: DeleteLink = { type: 'DeleteLink', data: {} };
const deleted: LinkDeleted = { type: 'LinkDeleted', data: details };

const givenSlug = specify(linkSlug);
const reservation = (text: string, linkId = 'link_1') => ({ slug: text, linkId, organizationId: 'org_1' });
const reserve = (text: string, linkId?: string): ReserveSlug => ({
  type: 'ReserveSlug',
  data: reservation(text, linkId),
});
const reserved: SlugReserved = { type: 'SlugReserved', data: reservation('Spring') };
