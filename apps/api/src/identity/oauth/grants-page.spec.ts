import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import { Browser, type Shown } from '@test/oauth/browser';
import { CLIENT } from '@test/oauth/client';
import { newGrant } from '@test/oauth/new-grant';
import { startOAuthApi } from '@test/oauth/oauth-api';
import { Walk } from '@test/oauth/walk';
import { AccessTokens } from '../auth/access-tokens';

describe('the page of grants', () => {
  it('shows what a person has allowed, and ends it', async () => {
    const walk = new Walk(host, owner);
    const choice = [[`websites_${owner.organizationId}`, 'some'] as const, ['websiteId', owner.websiteId] as const];
    const { access_token } = await walk.tokens([...choice, ['scope', 'read:data'] as const]);
    const page = await walk.browser.open(PAGE);
    expect(page.text).toContain(`<legend>${new URL(CLIENT.client_id).host}</legend>`);
    expect(page.text).toContain('It calls itself “<bdi>Agent &#60;b&#62;Smith&#60;/b&#62;</bdi>”');
    expect(page.text).toContain('In Acme: only Shop');
    expect(scopesOn(page)).toEqual(['See websites, links and statistics']);
    expect(await api.app.get(AccessTokens).callerOf(access_token)).toBeDefined();
    const after = await walk.browser.submit(page, []);
    expect([after.address.pathname, after.text.includes('None.')]).toEqual([PAGE, true]);
    expect(await api.app.get(AccessTokens).callerOf(access_token)).toBeUndefined();
    // a second click, on what is shown still
    expect((await walk.browser.submit(page, [])).text).toContain('None.');
    const path = `/v1/audit-log?organizationId=${owner.organizationId}&action=oauth_grant.revoked`;
    const { data } = (await ask(api, `GET ${path}`, owner)).body as { data: object[] };
    expect(data).toMatchObject([{ actor: { id: owner.id }, changes: { reason: { after: 'person' } } }]);
  });

  it('is linked from the consent page, and asks those to sign in who are not', async () => {
    const consent = await new Walk(host, owner).consentPage();
    const address = new URL(/<a href="(grants)">/.exec(consent.text)![1]!, consent.address);
    const browser = new Browser(host);
    const credentials = (password: string) => [['email', owner.email] as const, ['password', password] as const];
    const failed = await browser.submit(await browser.open(address), credentials('wrong password'));
    expect([failed.address.pathname, failed.text.includes('Email or password is wrong.')]).toEqual([PAGE, true]);
    const page = await browser.submit(failed, credentials('correct horse battery'));
    expect([page.address.pathname, page.text.includes(`(${owner.email})`)]).toEqual([PAGE, true]);
  });

  it('takes no form of another session or without its token, and ends nothing of others', async () => {
    const other = await ownerWithWebsite(api);
    const own = await newGrant(api, owner);
    const foreign = await newGrant(api, other);
    const browser = new Browser(host, owner.headers.cookie);
    const page = await browser.open(PAGE);
    expect((await new Browser(host, other.headers.cookie).submit(page, [])).status).toBe(403);
    const changed = (name: string, value: string) => ({
      ...page,
      text: page.text.replace(new RegExp(`name="${name}" value="[^"]+"`), `name="${name}" value="${value}"`),
    });
    expect((await browser.submit(changed('token', 'x'), [])).status).toBe(403);
    await browser.submit(changed('grantId', foreign), []);
    expect(await grantsOf(other)).toMatchObject([{ id: foreign }]);
    expect(await grantsOf(owner)).toMatchObject([{ id: own }]);
  });
});

const PAGE = '/v1/auth/oauth2/grants';

const scopesOn = ({ text }: Shown) => [...text.matchAll(/<li>([^<]+)<\/li>/g)].map(([, scope]) => scope);

const grantsOf = async (person: Owner) => (await ask(api, 'GET /v1/oauth/grants', person)).body.data;

let api: TestApi;
let host: string;
let owner: Owner;

beforeAll(async () => {
  ({ api, host } = await startOAuthApi());
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
