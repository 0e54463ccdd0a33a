import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { authorizeAddress, CLIENT, exchange, pkce } from '../oauth/client';
import { startOAuthApi, type OAuthApi } from '../oauth/oauth-api';
import { describeInChromium, openChromium } from './chromium';

/** A folder for pictures of the pages. */
const PICTURES = process.env['PICTURES'];

describeInChromium('signing in for a client, without scripts', () => {
  it('leads from the sign-in over the consent back to the client', async () => {
    const proof = pkce();
    await page.goto(authorizeAddress(host, proof, { redirect_uri: callback }));
    await picture('sign-in');
    await signIn('wrong password');
    expect(await page.content()).toContain('Email or password is wrong.');
    await picture('sign-in-failed');
    await signIn('correct horse battery');
    expect(await page.content()).toContain(`Allow <strong>${new URL(CLIENT.client_id).host}</strong>`);
    await picture('consent');
    await page.click('input[value=some]');
    await page.click(`input[value=${owner.websiteId}]`);
    await picture('consent-chosen');
    const [request] = await Promise.all([once(client, 'request'), page.click('button[value=allow]')]);
    const { searchParams } = new URL((request as [{ url: string }])[0].url, callback);
    const { body } = await exchange(host, searchParams.get('code') ?? '', proof, { redirect_uri: callback });
    expect(body).toMatchObject({ scope: 'read:data' });
  });

  it('offers each organization of a person, and takes only one', async () => {
    await ask(api, 'POST /v1/organizations', { body: { name: 'Second' }, headers: owner.headers });
    await page.goto(authorizeAddress(host, pkce()));
    await picture('consent-organizations');
    await page.click('button[value=allow]'); // the browser asks to choose one
    expect(new URL(page.url()).pathname).toBe('/v1/auth/oauth2/consent');
    await page.click(`input[name=organizationId][value=${owner.organizationId}]`);
    await picture('consent-organization-chosen');
    await Promise.all([leaves('code='), page.click('button[value=allow]')]);
    const { data } = (await ask(api, 'GET /v1/oauth/grants', owner)).body as { data: object[] };
    expect(data[0]).toMatchObject({ organizationId: owner.organizationId, websiteIds: null });
  });

  it('can be denied without choosing anything', async () => {
    await page.goto(authorizeAddress(host, pkce()));
    await Promise.all([leaves('error=access_denied'), page.click('button[value=deny]')]);
  });

  it('shows on a small screen all that is asked for', async () => {
    await page.setViewport({ width: 360, height: 740 });
    await page.goto(authorizeAddress(host, pkce(), { redirect_uri: callback, scope: undefined }));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await picture('consent-small');
  });

  let api: OAuthApi['api'];
  let host: string;
  let owner: Owner;
  let client: Server;
  let callback: string;
  let browser: Browser;
  let page: Page;

  const signIn = async (password: string) => {
    await page.type('#email', owner.email);
    await page.type('#password', password);
    await Promise.all([page.waitForNavigation(), page.click('button')]);
  };

  const leaves = (answer: string) =>
    page.waitForRequest((request) => request.url().startsWith(`https://agent.example.com/callback?${answer}`));

  const picture = async (name: string) => {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  };

  beforeAll(async () => {
    ({ api, host } = await startOAuthApi());
    owner = await ownerWithWebsite(api);
    client = createServer((_, reply) => reply.end('Back at the client')).listen(0, '127.0.0.1');
    await once(client, 'listening');
    callback = CLIENT.redirect_uris[0]!.replace('9999', String((client.address() as AddressInfo).port));
    browser = await openChromium();
    page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
  });

  afterAll(async () => {
    await browser.close();
    client.close();
    await api.close();
  });
});
