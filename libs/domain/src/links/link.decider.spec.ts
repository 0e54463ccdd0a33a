import type { LinkCreated } from '@ledgerline/contracts/events/link.events';
import { specify } from '../../../../test/domain/given';
import { link, type CreateLink } from './link.decider';
import { plainLink } from './plain-link';

describe('a link', () => {
  it('is created', () => given().when(create({})).then(created({})));
  it('is created once', () => given(created({})).when(create({})).rejects('LINK_EXISTS'));

  it('leads to web addresses only', () => {
    for (const targetUrl of ['javascript:alert(1)', 'ftp://example.com', 'example.com', 'https://me:pw@example.com'])
      given().when(create({ targetUrl })).rejects('ADDRESS_INVALID');
    for (const field of ['expiredRedirectUrl', 'iosUrl', 'androidUrl', 'ogImageUrl'])
      given()
        .when(create({ [field]: 'javascript:alert(1)' }))
        .rejects('ADDRESS_INVALID');
  });

  it('has a slug that is no route of ours', () => {
    for (const slug of ['ab', 'a b c', 'ümlaut', 'track', 'ROBOTS.TXT', 'a'.repeat(51)])
      given().when(create({ slug })).rejects('SLUG_INVALID');
  });
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
const create = (changes: Partial<Data>): CreateLink => ({ type: 'CreateLink', data: { ...data, ...changes } });
const created = (changes: Partial<Data>): LinkCreated => ({ type: 'LinkCreated', data: { ...data, ...changes } });
