import type { HTTPRequest } from 'puppeteer-core';
import { describeInChromium } from './chromium';
import { WebsiteScene, type Visitor } from './website-scene';

/** A text that nobody should write into a page. */
const EVIL = `<img src=x onerror="alert(1)">'"><script>alert(2)</script>`;

const VISITOR: Visitor = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  address: '8.8.4.4',
};

describeInChromium('the realtime page', () => {
  it('shows a hit while it is open, without asking again', async () => {
    await scene.visit('/realtime');
    await scene.until(shows('Shown as it happens'));
    await scene.until('document.querySelectorAll(".no-rows").length === 5');
    const asked: string[] = [];
    const note = (request: HTTPRequest) => void asked.push(new URL(request.url()).pathname);
    page().on('request', note);
    await view('/welcome');
    await scene.until(`${row('Pages')} === "/welcome"`);
    await scene.until(`${row('Events')} === "Page view /welcome" && ${row('Sessions')} === "/welcome"`);
    await scene.until('document.querySelector(".live b").textContent === "1"');
    page().off('request', note);
    expect(asked).toEqual([]);
  });

  it('shows what visitors wrote as text, on every screen', async () => {
    const path = `/${EVIL}`;
    await scene.send('/batch', VISITOR, [
      {
        name: 'screen_view',
        path: `https://example.com${path}`,
        referrer: `https://evil.example/${EVIL}`,
        title: EVIL,
      },
      { name: EVIL, path: `https://example.com${path}` },
    ]);
    await scene.project();
    await scene.until(`document.querySelectorAll("section[aria-label=Events] tbody tr").length === 3`);
    const foreign = 'main img:not(.mark > img[src^="/v1/websites/"]), main script';
    expect(await page().evaluate(`document.querySelectorAll('${foreign}').length`)).toBe(0);
    expect(await scene.console.faults('realtime')).toEqual([]);
    await scene.console.as(1_280, 'light');
  });

  it('can be paused, and goes on', async () => {
    await page().locator('.view-bar .button').click();
    await scene.until(shows('Paused'));
    await view('/while-paused');
    await page().locator('.view-bar .button').click();
    await scene.until(`${row('Events')} === "Page view /while-paused"`);
  });

  it('leads to a session by the keyboard', async () => {
    await page().focus('section[aria-label=Sessions] tbody a');
    await page().keyboard.press('Enter');
    await scene.until('document.querySelector(".time-line li")');
  });

  it('asks again and again where the stream is refused', async () => {
    const answer = (request: HTTPRequest) =>
      void (request.resourceType() === 'eventsource'
        ? request.respond({ status: 503, contentType: 'application/json', body: '{}' })
        : request.continue());
    page().on('request', answer);
    await page().setRequestInterception(true);
    await scene.visit('/realtime');
    await scene.until(shows('Asked for every five seconds'));
    await scene.until(`${row('Events')} === "Page view /while-paused"`);
    await view('/polled');
    await scene.until(`${row('Events')} === "Page view /polled"`);
    await page().setRequestInterception(false);
    page().off('request', answer);
    scene.console.errors.length = 0; // the browser reports the refusal itself
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;

  const page = () => scene.console.page;
  const shows = (state: string) => `document.querySelector("[role=status]").textContent === ${JSON.stringify(state)}`;
  const row = (section: string) => `document.querySelector("section[aria-label=${section}] tbody th")?.textContent`;
  const view = async (path: string) => {
    await scene.send('/batch', VISITOR, [{ name: 'screen_view', path: `https://example.com${path}` }]);
    await scene.project();
  };

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  }, 120_000);

  afterAll(() => scene.close());
});
