import { mailTo } from '../mail/written-mails';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person, refusedIn } from './person';

const MARKUP = '<img src=x onerror=alert(1)>';
const PASSWORD = 'correct horse battery';

describeInChromium('accounts in the console', () => {
  it('begin with a sign-up, whose wrong fields say so', async () => {
    await scene.visit('/');
    await ada.shows('Sign in');
    await ada.press('Create an account', 'link');
    await ada.shows('Create an account');
    await ada.fill('Name', MARKUP);
    await ada.fill('Email', 'ada@example.org');
    await ada.fill('Password', 'short');
    await ada.press('Create the account');
    expect(await ada.fault('password')).toMatch(/10/);
    expect(refused()).toEqual([400]);
    await ada.fill('Password', PASSWORD);
    await ada.press('Create the account');
    await ada.shows('New organization');
  });

  it('create an organization, whose name is text whatever it holds', async () => {
    await ada.fill('Name', ' ');
    await ada.press('Create the organization');
    expect(await ada.fault('name')).toBe('Must not be empty.');
    expect(refused()).toEqual([400]);
    await ada.fill('Name', `Org ${MARKUP}`);
    await ada.press('Create the organization');
    await ada.shows('Websites');
    await ada.reads(`Org ${MARKUP}`);
    expect(await scene.page.$('img')).toBeNull();
    organization = /organizations\/\w+/.exec(scene.page.url())![0];
  });

  it('register a website, and change it', async () => {
    await ada.press('New website', 'link');
    await ada.shows('New website');
    await scene.page.reload(); // what is asked then must not be taken for the list after the change
    await ada.fill('Name', MARKUP);
    await ada.fill('Domain', 'no domain');
    await ada.press('Create the website');
    expect(await ada.fault('domain')).toContain('Must');
    expect(refused()).toEqual([400]);
    await ada.fill('Domain', 'example.org');
    await scene.page.locator('summary').click();
    await ada.type('timezone', 'Asia/Tokyo');
    await ada.press('Create the website');
    await ada.shows(`Install on ${MARKUP}`);
    await ada.press('Websites', 'link');
    await ada.reads('example.org');
    await ada.press(`Settings of ${MARKUP}`, 'link');
    await ada.shows(`Settings of ${MARKUP}`);
    website = /organizations\/\w+\/websites\/\w+/.exec(scene.page.url())![0];
    await ada.press('Statistics are public', 'checkbox');
    await ada.press('Save the settings');
    await ada.reads('Public');
    await ada.fill('Name', 'Shop');
    await ada.press('Save the settings');
    await ada.shows('Settings of Shop');
    await ada.fill('Domain', '..');
    await ada.press('Save the settings');
    expect(await ada.fault('domain')).toContain('Must');
    expect(refused()).toEqual([400]);
  });

  it('invite a second person, who accepts with the link of the mail', async () => {
    await ada.press('Members', 'link');
    await ada.press('Invite a person');
    await ada.fill('Email', 'grace@example.org');
    await ada.press('Invite');
    await ada.reads('grace@example.org is invited');
    await ada.reads('The mail is in the folder mails of its data directory');
    const link = linkIn((await mailTo(scene.api, 'grace@example.org')).text);
    const shown = await ada.page.evaluate(`document.querySelector('dialog pre').textContent`);
    expect(link.startsWith(`${String(shown)}&proof=`)).toBe(true);
    await ada.press('Close');
    await grace.page.goto(link);
    await grace.shows('Sign in');
    await grace.press('Create an account', 'link');
    await grace.fill('Name', 'Grace');
    await grace.fill('Email', 'grace@example.org');
    await grace.fill('Password', PASSWORD);
    await grace.press('Create the account');
    await grace.shows('Accept an invitation');
    await grace.press('Accept the invitation');
    await grace.shows('Websites');
    await grace.reads('Shop');
    await grace.page.goto(link);
    await grace.press('Accept the invitation');
    await grace.reads('There is no such invitation for grace@example.org');
  });

  it('change the role of a member, who may do more then', async () => {
    await grace.page.goto(`${scene.api.settings.publicApiUrl}/console/`);
    await grace.shows('Websites');
    await grace.misses('New website');
    await scene.page.reload();
    await ada.press('Change the role of Grace');
    await ada.choose('Role', 'admin');
    await ada.press('Save the role');
    await ada.reads(/Grace\s+grace@example.org\s+Admin/);
    await grace.page.reload();
    await grace.reads('New website');
  });

  it('remove a member, who sees nothing of the organization then', async () => {
    await ada.press('Remove Grace');
    await ada.press('Remove');
    await ada.misses('grace@example.org');
    await grace.page.reload();
    await grace.shows('Not found');
  });

  it('do not lose their last owner', async () => {
    await ada.press('Leave the organization');
    await ada.press('Leave');
    await scene.page.waitForSelector('dialog [role=alert]');
    expect(refused()).toEqual([409]);
    await ada.press('Cancel');
  });

  it('change the own name', async () => {
    await scene.visit('/account');
    await ada.shows('Your account');
    await ada.fill('Name', 'Ada');
    await ada.press('Save the name');
    await ada.reads('Your name is changed');
    await scene.page.waitForSelector('xpath/.//button[contains(., "Account")][contains(., "Ada")]');
  });

  it('show a wrong password at its field', async () => {
    await ada.fill('Current password', 'not the password');
    await ada.fill('New password', 'another password');
    await ada.press('Change the password');
    expect(await ada.fault('currentPassword')).toMatch(/password/i);
    expect(refused()).toEqual([400]);
  });

  it('set a new password with the link of a mail, once', async () => {
    await grace.page.goto(`${scene.api.settings.publicApiUrl}/console/forgot-password`);
    await grace.fill('Email', 'ada@example.org');
    await grace.press('Send the mail');
    await grace.reads('If ada@example.org has an account, a mail with a link is in the folder mails');
    const link = linkIn((await mailTo(scene.api, 'ada@example.org')).text);
    for (const password of ['a newer password', 'yet another one']) {
      await grace.page.goto('about:blank');
      await grace.page.goto(link);
      await grace.fill('New password', password);
      await grace.press('Set the password');
      await grace.reads(/all sessions have ended|This link has expired or was used already/);
    }
    await grace.reads('This link has expired or was used already');
    await scene.visit('/');
    await ada.shows('Sign in');
    await ada.fill('Email', 'ada@example.org');
    await ada.fill('Password', 'a newer password');
    await ada.press('Sign in');
    await ada.shows('Websites');
  });

  it('say the same for an address without an account', async () => {
    await grace.page.goto(`${scene.api.settings.publicApiUrl}/console/forgot-password`);
    await grace.fill('Email', 'nobody@example.org');
    await grace.press('Send the mail');
    await grace.reads('If nobody@example.org has an account, a mail with a link is in the folder mails');
  });

  it.each([
    ['sign-up', 'Create an account'],
    ['forgot-password', 'Reset your password'],
    ['reset-password#token=made-up', 'Choose a new password'],
    ['accept-invitation#invitation=made-up', 'Accept an invitation'],
    ['account', 'Your account'],
    ['new-organization', 'New organization'],
    ['{organization}/members', 'Members'],
    ['{organization}/settings', 'Organization settings'],
    ['{organization}/websites/new', 'New website'],
    ['{website}/settings', 'Settings of Shop'],
  ])('/%s is for everybody, on every screen', async (path, heading) => {
    await scene.follow(`/${path.replace('{organization}', organization).replace('{website}', website)}`);
    await ada.shows(heading);
    expect(await scene.faults(heading.toLowerCase().replaceAll(' ', '-'))).toEqual([]);
  });

  it('change the password', async () => {
    await scene.as(1_280, 'light');
    await scene.follow('/account');
    await ada.fill('Current password', 'a newer password');
    await ada.fill('New password', 'the last password');
    await ada.press('Change the password');
    await ada.reads('Your password is changed');
  });

  it('change the address once the mail to the new one is confirmed', async () => {
    await ada.fill('New address', 'ada@example.net');
    await ada.fill('Your password', 'the last password');
    await ada.press('Send the mail');
    await ada.reads('a mail with a link is in the folder mails');
    await scene.page.goto(linkIn((await mailTo(scene.api, 'ada@example.net')).text));
    await Promise.all([scene.page.waitForNavigation(), scene.page.locator('button').click()]);
    await scene.visit('/account');
    await ada.reads('ada@example.net');
  });

  it('delete a website and an organization', async () => {
    await scene.follow(`/${website}/settings`);
    await ada.press('Delete the website');
    await confirm('Delete');
    await ada.reads('No websites yet');
    await ada.press('Settings', 'link');
    await ada.press('Delete the organization');
    await confirm('Delete');
    await ada.shows('New organization');
  });

  it('delete themselves', async () => {
    await scene.follow('/account');
    await ada.press('Delete the account');
    await scene.page.locator('dialog [name=currentPassword]').fill('the last password');
    await confirm('Delete the account');
    await ada.shows('Sign in');
    await ada.fill('Email', 'ada@example.net');
    await ada.fill('Password', 'the last password');
    await ada.press('Sign in');
    await ada.reads('Email or password is wrong.');
    expect(refused()).toEqual([401]);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let scene: ConsoleScene;
  let projector: DirectProjector;
  let ada: Person;
  let grace: Person;
  /** The addresses of both below the console. */
  let organization = '';
  let website = '';

  const refused = () => refusedIn(scene);

  const confirm = async (name: string) => {
    await scene.page.waitForSelector('dialog[open]');
    await ada.press(name);
  };

  beforeAll(async () => {
    scene = await ConsoleScene.open({ MAIL_TO_FILES: '1' });
    projector = await projectInto(scene.api.settings.databaseUrl);
    await projector.catchUp();
    ada = new Person(scene.page);
    grace = new Person(await (await scene.browser.createBrowserContext()).newPage());
    await scene.as(1_280, 'light');
    await grace.page.setViewport({ width: 1_280, height: 900 });
  }, 120_000);

  afterAll(async () => {
    await projector.close();
    await scene.close();
  });
});

const linkIn = (text: string): string => /^https?:\/\/\S+$/m.exec(text)![0];
