import type {
  WebsiteDeleted,
  WebsiteRegistered,
  WebsiteUpdated,
} from '@ledgerline/contracts/events/organization.events';
import { specify } from '@test/domain/given';
import { website, type DeleteWebsite, type RegisterWebsite, type UpdateWebsite } from './website.decider';

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

  it('has its zone in the usual spelling, and accepts any', () => {
    given()
      .when(register({ timezone: 'asia/kathmandu' }))
      .then(registered({}));
    given(registered({}))
      .when(update({ timezone: 'ASIA/KATHMANDU' }))
      .then();
  });

  it('is updated, and keeps what its fields held before', () =>
    given(registered({}))
      .when(update({ name: 'Store', domain: 'HTTPS://Store.example/', retentionDays: 30 }))
      .then(updated({ name: 'Store', domain: 'store.example', retentionDays: 30 }, BEFORE)));

  it('stays without an event when an update changes nothing', () => {
    given(registered({})).when(update({})).then();
    given(registered({}))
      .when(update({ name: 'Shop', domain: 'Example.com.', timezone: data.timezone, retentionDays: null }))
      .then();
    given(registered({}), updated({ name: 'Store' }, { name: 'Shop' }))
      .when(update({ name: 'Store' }))
      .then();
  });

  it('keeps its timezone for ever', () =>
    given(registered({}))
      .when(update({ timezone: 'UTC' }))
      .rejects('TIMEZONE_FIXED'));

  it('is updated to domains that can be ones', () => {
    given(registered({}))
      .when(update({ domain: 'not a domain' }))
      .rejects('DOMAIN_INVALID');
    given(registered({}))
      .when(update({ allowedOrigins: ['javascript:alert(1)'] }))
      .rejects('DOMAIN_INVALID');
  });

  it('is deleted once, and then not found', () => {
    given(registered({})).when(remove).then(deleted);
    given(registered({}), deleted).when(remove).rejects('WEBSITE_NOT_FOUND');
    given(registered({}), deleted).when(update({})).rejects('WEBSITE_NOT_FOUND');
    given(registered({}), deleted).when(register({})).rejects('WEBSITE_EXISTS');
    given().when(update({})).rejects('WEBSITE_NOT_FOUND');
    given().when(remove).rejects('WEBSITE_NOT_FOUND');
  });
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
  retentionDays: null,
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
const update = (changes: UpdateWebsite['data']['changes']): UpdateWebsite => ({
  type: 'UpdateWebsite',
  data: { changes },
});
const updated = (changes: Partial<Data>, before: WebsiteUpdated['data']['before']): WebsiteUpdated => ({
  type: 'WebsiteUpdated',
  data: { ...data, retentionDays: null, ...changes, before },
});
const BEFORE = { name: 'Shop', domain: 'example.com', retentionDays: null };
const remove: DeleteWebsite = { type: 'DeleteWebsite', data: {} };
const deleted: WebsiteDeleted = { type: 'WebsiteDeleted', data: { ...data, retentionDays: null } };
