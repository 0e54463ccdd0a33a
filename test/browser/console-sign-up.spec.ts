import type { Browser } from 'puppeteer-core';
import { operatorLink, OPERATOR, PASSWORD } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { build } from '../journeys/product';
import { startSmtpServer, textOf, type SmtpServer } from '../mail/smtp-server';
import { freePort } from '../network/free-port';
import { describeInChromium, openChromium } from './chromium';
import { Person } from './person';

describeInChromium('sign-up by invitation, with a mail server', () => {
  it('shows strangers how to get an account, and no form', async () => {
    const eve = await newPerson();
    await eve.page.goto(`${consoleUrl}/sign-up`);
    await eve.reads('An account here needs an invitation');
    expect(await eve.page.$('input')).toBeNull();
  });

  it('is for the operator, who confirms the address and sees the projections then', async () => {
    operator = await newPerson();
    await operator.page.goto((await operatorLink(api)).href);
    await operator.fill('Name', 'Olga');
    await operator.fill('Password', PASSWORD);
    await operator.press('Create the account');
    await operator.shows('Confirm your address');
    const mailed = linkIn(await smtp.take());
    await operator.press('Sign in', 'link');
    await signInAs(operator, OPERATOR);
    await operator.reads('Your address is not confirmed yet');
    await operator.press('Send the mail again');
    await operator.reads('another mail is on its way');
    await operator.page.goto(mailed);
    await operator.reads('Sign in to confirm your address.');
    await signInAs(operator, OPERATOR);
    await operator.shows('New organization');
    await operator.fill('Name', 'Acme');
    await operator.press('Create the organization');
    await operator.press('System health', 'link');
    await operator.shows('System health');
  });

  it('is for who opens the link of an invitation, which proves the address', async () => {
    await operator.press('Members', 'link');
    await operator.press('Invite a person');
    await operator.fill('Email', 'grace@example.com');
    await operator.press('Invite');
    const grace = await newPerson();
    await grace.page.goto(linkIn(await smtp.take()));
    await grace.press('Create an account', 'link');
    await grace.fill('Name', 'Grace');
    await grace.fill('Email', 'somebody@example.com');
    await grace.fill('Password', PASSWORD);
    await grace.press('Create the account');
    await grace.reads('use the address that was invited');
    await grace.fill('Email', 'grace@example.com');
    await grace.press('Create the account');
    await grace.press('Accept the invitation');
    await grace.shows('Websites');
    await grace.misses('System health');
    await grace.page.goto(grace.page.url().replace('/websites', '/projections'));
    await grace.reads('This needs “operator” of the installation.');
  });
});

let api: TestApi;
let smtp: SmtpServer;
let browser: Browser;
let consoleUrl: string;
let operator: Person;

const newPerson = async () => {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 1_280, height: 900 });
  return new Person(page);
};

async function signInAs(person: Person, email: string): Promise<void> {
  await person.fill('Email', email);
  await person.fill('Password', PASSWORD);
  await person.press('Sign in');
}

const linkIn = (mail: Awaited<ReturnType<SmtpServer['take']>>): string => /^http:\/\/\S+$/m.exec(textOf(mail))![0];

beforeAll(async () => {
  await build();
  smtp = await startSmtpServer();
  const port = await freePort();
  consoleUrl = `http://127.0.0.1:${port}/console`;
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'stats@example.com' };
  const variables = { ...mail, PUBLIC_API_URL: `http://127.0.0.1:${port}`, SIGN_UP: '', OPERATOR_EMAILS: OPERATOR };
  api = await startTestApi(variables, {}, port);
  browser = await openChromium();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await api.close();
  await smtp.close();
});
