import { ask } from '../api/ask';
import { ok } from '../api/every-change';
import { describeInChromium } from './chromium';
import { Person, refusedIn } from './person';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const before = new Date(Date.parse(SHOP_DAY) - 6 * 86_400_000).toISOString().slice(0, 10);
const VIEW = `?from=${before}&to=${SHOP_DAY}`;
const TEXT = '<img src=x onerror=alert(1)>';

describeInChromium('notes on charts', () => {
  it('are added by a click on a day, and drawn there', async () => {
    await scene.visit(VIEW);
    await scene.table('Pages');
    await clickChart(1);
    await person.reads('Add a note');
    await person.fill('What happened', TEXT);
    expect(await scene.console.faults('note-form')).toEqual([]);
    await person.press('Add');
    await openNotes();
    await person.reads(TEXT);
    expect(await page().$('img[src=x]')).toBeNull();
    const [note] = await notes();
    expect(note).toMatchObject({
      text: TEXT,
      websiteId: scene.console.owner.websiteId,
      at: `${SHOP_DAY}T00:00:00.000Z`,
    });
    await page().focus('.chart-plot');
    await page().keyboard.press('End');
    await scene.until(`document.querySelector('.chart-reading').textContent.includes(${JSON.stringify(TEXT)})`);
    expect(await scene.console.faults('note')).toEqual([]);
  });

  it('are added by the keyboard, for everything of the organization', async () => {
    await page().focus('.chart-plot');
    await page().keyboard.press('Home');
    await page().keyboard.press('Enter');
    await person.reads('Add a note');
    await person.fill('What happened', 'Holidays');
    await person.press('On the charts of everything in the organization', 'checkbox');
    await person.press('Add');
    await person.reads('everywhere');
    expect((await notes())[1]).toMatchObject({ text: 'Holidays', websiteId: null, at: `${before}T00:00:00.000Z` });
  });

  it('are not what dragging selects days for', async () => {
    await dragChart();
    await scene.until(`!location.search.includes("from=${before}")`);
    expect(await page().$('dialog[open]')).toBeNull();
    await page().goBack();
    await scene.until(`location.search.includes("from=${before}")`);
  });

  it('are changed, with what is wrong said, and last for days', async () => {
    await scene.visit(VIEW);
    await openNotes();
    await person.press(`Edit the note ${TEXT}`);
    await person.reads('Edit the note');
    await page().locator('dialog [name=to]').fill(`${before}T00:00`);
    await person.press('Save');
    expect(await person.fault('to')).not.toBe('');
    expect(refusedIn(scene.console)).toEqual([400]);
    await page().locator('dialog [name=to]').fill('');
    await person.fill('What happened', 'New prices');
    await person.press('Save');
    await person.press('Edit the note New prices');
    await page().waitForSelector('dialog[open]');
    await person.press('Cancel');
    expect((await notes())[0]).toMatchObject({ text: 'New prices' });
  });

  it('stand beside deploys and what the audit log knows, which nobody edits', async () => {
    const { api, owner, projector } = scene.console;
    const { organizationId, websiteId, headers } = owner;
    const deploy = { organizationId, websiteId, text: 'Version 2', kind: 'deploy', at: new Date().toISOString() };
    await ok(api, 'POST /v1/annotations', { body: deploy, headers });
    const link = { organizationId, name: 'Poster', targetUrl: 'https://example.com/old' };
    const { id } = (await ok(api, 'POST /v1/links', { body: link, headers })).body;
    await ok(api, `PATCH /v1/links/${String(id)}`, { body: { targetUrl: 'https://example.com/new' }, headers });
    const shown = { organizationId, slug: 'shop-status', name: 'Shop' };
    const status = (await ok(api, 'POST /v1/status-pages', { body: shown, headers })).body;
    const incident = { title: 'Orders fail', severity: 'major', message: 'Looking.' };
    await ok(api, `POST /v1/status-pages/${String(status.id)}/incidents`, { body: incident, headers });
    await projector.catchUp();
    await scene.visit('?preset=last_7d');
    const moved = 'Target of the link Poster changed from https://example.com/old to https://example.com/new';
    await openNotes();
    await person.reads(moved);
    expect(await listed()).toEqual([
      expect.stringContaining('IncidentIncident opened: Orders fail'),
      expect.stringContaining(`Link${moved}`),
      expect.stringContaining('DeployVersion 2EditDelete'),
      expect.stringContaining('New pricesEditDelete'),
    ]);
    await page().focus('.chart-plot');
    await page().keyboard.press('End');
    const read = `document.querySelector('.chart-reading').textContent`;
    for (const text of ['Deploy: Version 2', moved, 'Incident opened: Orders fail'])
      await scene.until(`${read}.includes(${JSON.stringify(text)})`);
    expect(await scene.console.faults('history')).toEqual([]);
  });

  it('are on the charts of reports, too, and are deleted', async () => {
    await scene.visit(`/sessions${VIEW}`);
    await openNotes();
    await person.reads('New prices');
    await person.press('Delete the note New prices');
    await page().waitForSelector('dialog[open]');
    await page().locator('dialog .danger').click();
    await person.misses('New prices');
    expect(await notes()).toMatchObject([{ text: 'Holidays' }, { text: 'Version 2' }]);
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;
  let person: Person;
  const page = () => scene.console.page;

  async function notes(): Promise<readonly object[]> {
    const { organizationId, headers } = scene.console.owner;
    return (await ask(scene.console.api, `GET /v1/annotations?organizationId=${organizationId}`, { headers })).body
      .data as object[];
  }

  const openNotes = () => page().locator('.chart-notes:not([open]) summary').click();

  /** Returns what stands below the chart, the newest first. */
  const listed = () =>
    page().evaluate('[...document.querySelectorAll(".annotations li")].map(({ textContent }) => textContent)');

  /** The plot of the chart, on the page. */
  async function plot() {
    const over = await page().waitForSelector('.chart-plot .u-over');
    await over!.scrollIntoView();
    const box = await over!.boundingBox();
    return box!;
  }

  /** At a share of its width. */
  async function clickChart(share: number): Promise<void> {
    const { x, y, width, height } = await plot();
    await page().mouse.move(x + share * width - 3, y + height / 2);
    await page().mouse.click(x + share * width - 3, y + height / 2);
  }

  async function dragChart(): Promise<void> {
    const { x, y, width, height } = await plot();
    await page().mouse.move(x + width * 0.5, y + height / 2);
    await page().mouse.down();
    await page().mouse.move(x + width * 0.9, y + height / 2, { steps: 8 });
    await page().mouse.up();
  }

  beforeAll(async () => {
    scene = await WebsiteScene.open({ timezone: 'UTC' });
    person = new Person(scene.console.page);
    await sendShopVisits(scene);
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });
  afterAll(() => scene.close());
});
