import type { WebsiteRegistered } from '@ledgerline/contracts/events/website.events';
import { specify } from '../../../../test/domain/given';
import { website, type RegisterWebsite } from './website.decider';

describe('a website', () => {
  it('is registered', () => given().when(register({})).then(registered({})));

  it('is registered once', () => given(registered({})).when(register({})).rejects('WEBSITE_EXISTS'));

  it('keeps host names, however they were typed', () =>
    given()
      .when(register({ domain: ' HTTPS://Example.COM:8080/shop?x=1 ', allowedOrigins: ['A.test', 'https://a.test'] }))
      .then(registered({ domain: 'example.com', allowedOrigins: ['a.test'] })));

  it('needs a domain that can be one', () => {
    given()
      .when(register({ domain: 'not a domain' }))
      .rejects('DOMAIN_INVALID');
    given()
      .when(register({ allowedOrigins: ['javascript:alert(1)'] }))
      .rejects('DOMAIN_INVALID');
  });

  it('needs a zone the clocks know', () =>
    given()
      .when(register({ timezone: 'Mars/Olympus' }))
      .rejects('TIMEZONE_UNKNOWN'));
});

const given = specify(website);

const data = {
  websiteId: 'site_1',
  organizationId: 'org_1',
  name: 'Shop',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: [],
  timezone: 'Asia/Kathmandu',
  visitorIdentity: 'daily',
} as const;

type Data = WebsiteRegistered['data'];
const register = (changes: Partial<Data>): RegisterWebsite => ({
  type: 'RegisterWebsite',
  data: { ...data, ...changes },
});
const registered = (changes: Partial<Data>): WebsiteRegistered => ({
  type: 'WebsiteRegistered',
  data: { ...data, ...changes },
});
