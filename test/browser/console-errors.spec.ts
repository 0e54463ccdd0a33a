import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person, refusedIn } from './person';

const LONG = 'x'.repeat(300);

/** A form, what is typed into it by label, and what is said at its fields then; the first of them gets the focus. */
interface Wrong {
  readonly path: string;
  /** The heading below which its less common fields are folded. */
  readonly folded?: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly button: string;
  readonly faults: Readonly<Record<string, string>>;
}

const TOO_LONG = 'Must have at most 100 characters.';
const NO_DOMAIN = 'Must be a domain such as example.com.';

const FORMS: readonly Wrong[] = [
  {
    path: 'websites/new',
    folded: 'More settings',
    texts: { Domain: 'no domain', Name: LONG, 'Additional domains': 'example.org\n..' },
    button: 'Create the website',
    faults: {
      Domain: NO_DOMAIN,
      Name: TOO_LONG,
      'Additional domains': `Entry 2: ${NO_DOMAIN}`,
    },
  },
  {
    path: 'websites/{website}/settings',
    texts: { Domain: '..' },
    button: 'Save the settings',
    faults: { Domain: NO_DOMAIN },
  },
  {
    path: 'links/new',
    texts: { Destination: 'ftp://example.com', 'Short name': 'two words' },
    button: 'Create link',
    faults: {
      Destination: 'Must be an http(s) address.',
      'Short name': 'Must be 1 to 50 of A–Z, a–z, 0–9, _ and -.',
    },
  },
  {
    path: 'api-keys/new',
    texts: { Description: LONG + LONG },
    button: 'Create key',
    faults: { Name: 'Must not be empty.', Description: 'Must have at most 500 characters.' },
  },
  {
    path: 'flags/new',
    texts: { Name: LONG, Key: 'two words', Environment: LONG },
    button: 'Create the flag',
    faults: {
      Name: TOO_LONG,
      Key: 'Must be 1 to 100 of A–Z, a–z, 0–9, _ and -.',
      Environment: 'Must have at most 50 characters.',
    },
  },
  {
    path: 'monitors/new',
    texts: {
      Name: 'Shop',
      URL: 'https://user:secret@example.com/',
      'Interval (seconds)': 'ten',
      'Timeout (seconds)': '31',
      'Expected status': '20',
      Headers: 'two words: x',
    },
    button: 'Create the monitor',
    faults: {
      URL: 'Must not hold a user name or password.',
      'Interval (seconds)': 'Must be a whole number from 30 to 3,600.',
      'Timeout (seconds)': 'Must be a whole number from 1 to 30.',
      'Expected status': 'Must be a whole number from 100 to 599.',
      Headers: 'Must have names of headers.',
    },
  },
  {
    path: 'monitors/new',
    texts: { Name: 'Shop', URL: 'https://example.com/', Body: 'x' },
    button: 'Create the monitor',
    faults: { Body: 'Belongs to a monitor with the method POST; leave it empty for others.' },
  },
  {
    path: 'status-pages/new',
    texts: { Name: 'Shop', Slug: 'A', 'Time zone': 'Mars' },
    button: 'Create the status page',
    faults: {
      Slug: 'Must be 3 to 50 of a–z, 0–9 and -, and begin and end with none of the latter.',
      'Time zone': 'Must be a time zone such as Europe/Berlin.',
    },
  },
  { path: 'settings', texts: { Name: LONG }, button: 'Save the name', faults: { Name: TOO_LONG } },
];

describeInChromium('what the api refuses of a form', () => {
  it.each(FORMS)('stands beside its fields, the first of which has the focus: $path $faults', async (form) => {
    await open(form.path);
    if (form.folded !== undefined) await scene.page.locator(`xpath/.//summary[.="${form.folded}"]`).click();
    await send(form);
    expect(await faults()).toEqual(form.faults);
    expect(await focused()).toBe(Object.keys(form.faults)[0]);
    expect(await notices()).toEqual([]);
    expect(refusedIn(scene)).toEqual([400]);
    await scene.page.evaluate('scrollTo(0, 0)'); // what is scrolled below the header counts as hidden by its buttons
    expect(await scene.violations()).toEqual([]);
  });

  it('stands beside the choices that it is about', async () => {
    await open('api-keys/new');
    await person.press('Read (read:data)', 'checkbox');
    await send({ texts: { Name: 'Nothing' }, button: 'Create key' });
    expect(await textsOf('fieldset > .field-error')).toEqual([
      'Must name a scope, here or in resources; a key that is to do nothing can be disabled.',
    ]);
    expect(await focused()).toBe('Read (read:data)');
    expect(refusedIn(scene)).toEqual([400]);
  });

  it('stands in the row that it is about, until there are others', async () => {
    await open('flags/new');
    await person.choose('Type', 'multivariant');
    await person.press('Add a rule');
    await person.press('Add a condition to rule 1');
    const second = '[aria-label="Condition 2 of rule 1"]';
    await scene.page.locator('[aria-label="Condition 1 of rule 1"] textarea').fill('@example.com');
    await (await scene.page.waitForSelector(`${second} select`))?.select('gte');
    await scene.page.locator(`${second} textarea`).fill('many');
    await person.fill('Rollout of the rule (%)', 'all');
    await scene.page.locator('[data-row] input[inputmode=decimal]').fill('much');
    await send({ texts: { Name: 'Beta', Key: 'beta' }, button: 'Create the flag' });
    expect(await faults()).toEqual({
      Weight: 'Must be a number from 0 to 1,000,000.',
      Values: 'Must hold one number, or one time such as 2030-01-31T12:00:00Z.',
      'Rollout of the rule (%)': 'Must be a number from 0 to 100.',
    });
    expect(await focused()).toBe('Weight');
    expect(await textsOf(`${second} .field-error`)).toHaveLength(1);
    expect(await notices()).toEqual([]);
    expect(await scene.violations()).toEqual([]);
    await scene.picture('flag-refused');
    await person.press('Remove condition 1');
    expect(Object.keys(await faults())).toEqual([]);
    expect(refusedIn(scene)).toEqual([400]);
  });

  it('is said above the button where it is of no field', async () => {
    await open('members');
    await person.press('Invite a person');
    await send({ texts: { Email: scene.owner.email }, button: 'Invite' });
    expect(await notices()).toEqual(['This person is already a member.']);
    expect(await scene.page.evaluate('document.querySelector("form .notice + .form-actions") !== null')).toBe(true);
    expect(refusedIn(scene)).toEqual([409]);
  });

  it('is said of passwords and addresses', async () => {
    await scene.visit('/account');
    await scene.shows('Your account');
    const current = 'wrong password';
    const fresh = 'short';
    await send({ texts: { 'Current password': current, 'New password': fresh }, button: 'Change the password' });
    expect(await faults()).toEqual({ 'New password': 'Must have at least 10 characters.' });
    await send({ texts: { 'New password': 'correct horse battery' }, button: 'Change the password' });
    await person.reads('Is not your password.');
    expect(await focused()).toBe('Current password');
    await send({ texts: { 'New address': 'ada@example', 'Your password': 'x' }, button: 'Send the mail' });
    await person.reads('Must be an email address such as ada@example.com.');
    expect(await focused()).toBe('New address');
    expect(refusedIn(scene)).toEqual([400, 400, 400]);
  });

  it('is said of invitations', async () => {
    await open('members');
    await person.press('Invite a person');
    await send({ texts: { Email: 'grace@example' }, button: 'Invite' });
    expect(await faults()).toEqual({ Email: 'Must be an email address such as ada@example.com.' });
    expect(await focused()).toBe('Email');
    expect(refusedIn(scene)).toEqual([400]);
  });

  it('is said before the sign-in', async () => {
    await scene.browser.deleteCookie(...(await scene.browser.cookies()));
    await scene.visit('/sign-up');
    await send({ texts: { Name: LONG, Email: 'ada@example', Password: 'short' }, button: 'Create the account' });
    expect(await faults()).toEqual({
      Name: 'Must have at most 255 characters.',
      Email: 'Must be an email address such as ada@example.com.',
      Password: 'Must have at least 10 characters.',
    });
    expect(await focused()).toBe('Name');
    await scene.visit('/sign-in');
    await send({ texts: { Email: scene.owner.email, Password: 'wrong' }, button: 'Sign in' });
    expect(await notices()).toEqual(['Email or password is wrong.']);
    expect(refusedIn(scene)).toEqual([400, 401]);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let scene: ConsoleScene;
  let person: Person;

  const open = async (path: string) => {
    const { organizationId, websiteId } = scene.owner;
    await scene.visit(`/organizations/${organizationId}/${path.replace('{website}', websiteId)}`);
  };

  /** Types and sends, until it is refused. */
  const send = async ({ texts, button }: Pick<Wrong, 'texts' | 'button'>) => {
    for (const [label, text] of Object.entries(texts)) await person.fill(label, text);
    await person.press(button);
    await scene.page.waitForSelector('[aria-invalid=true], form .notice.danger, fieldset > .field-error');
  };

  const faults = async () =>
    Object.fromEntries(
      (await scene.page.evaluate(`[...document.querySelectorAll('[aria-invalid=true]')].map((field) => [
        field.labels[0].textContent,
        document.getElementById(field.getAttribute('aria-describedby').split(' ').at(-1)).textContent,
      ])`)) as [string, string][],
    );

  const focused = () => scene.page.evaluate('document.activeElement.labels?.[0]?.textContent');
  const notices = () => textsOf('.notice.danger');
  const textsOf = (selector: string) =>
    scene.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent)`,
    ) as Promise<string[]>;

  beforeAll(async () => {
    scene = await ConsoleScene.open({ LIMIT_API_PER_MINUTE: '100000', LIMIT_FAILED_AUTH_PER_MINUTE: '100000' });
    person = new Person(scene.page);
    await scene.visit('/');
    await scene.signIn();
    await scene.shows('Websites');
  }, 120_000);

  afterAll(() => scene.close());
});
