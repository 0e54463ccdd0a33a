import { describeInChromium } from './chromium';
import { Person } from './person';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };
const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}`;

describeInChromium('journeys in the console', () => {
  it('are drawn from the page that is viewed most, and are a table, too', async () => {
    await scene.visit(`/flow${VIEW}`);
    const [top] = await scene.rows('top_pages', { ...RANGE, limit: 1 });
    const start = String(top!['name']);
    const [first, second] = await journeys('from', start);
    await person.reads(start);
    await scene.until('document.querySelectorAll(".flow-node").length > 3');
    expect(await page().evaluate('document.querySelector(".flow-node").textContent')).toContain(start);
    expect(await names()).toContain((second!['path'] as string[])[0]);
    await page().focus('.flow');
    await page().keyboard.press('ArrowRight');
    const next = await page().evaluate('document.querySelector(".flow-node.follows span").textContent');
    await person.reads(`${start} → ${String(next)}`);
    await person.reads('Show as table');
    await page().locator('.flow ~ details summary').click();
    const cells = await tableRows();
    expect(cells[0]).toEqual([start, String(first!['sessions']), '100\u00A0%', String(first!['ended'])]);
    expect(cells[1]?.[0]).toBe(`${start} → ${(second!['path'] as string[]).join(' → ')}`);
    expect(await scene.console.faults('flow')).toEqual([]);
  });

  it('show the branches of a page that is clicked, and begin with it', async () => {
    await page().evaluate('scrollTo(0, 0)'); // nothing is below the bar at the top
    const other = '.flow-node.follows:not(.chosen, .rest)';
    const next = await page().evaluate(`document.querySelector('${other} span').textContent`);
    await page().locator(other).click();
    await person.reads(` → ${String(next)}`);
    await scene.until(
      `document.querySelector('.flow-node.chosen.read').textContent.startsWith(${JSON.stringify(next)})`,
    );
    await scene.until('[...document.querySelectorAll(".flow-column")].every((each) => each.querySelector(".chosen"))');
    await person.press('Start here');
    await scene.until(`document.querySelector('.flow-node')?.textContent.startsWith(${JSON.stringify(next)})`);
    await scene.until(`new URL(location).searchParams.get('start') === ${JSON.stringify(next)}`);
  });

  it('lead to a page that is written, backwards', async () => {
    await person.choose('Show', 'to');
    await scene.until('document.querySelector("main [name=start]")');
    await page().locator('main [name=start]').fill('/checkout');
    await person.press('Apply');
    await scene.until('new URL(location).searchParams.get("start") === "/checkout"');
    const [, before] = await journeys('to', '/checkout');
    await scene.until(
      `[...document.querySelectorAll('.flow-node')].some((each) => each.textContent.startsWith(${JSON.stringify((before!['path'] as string[])[0])}))`,
    );
    expect(await scene.console.faults('flow-backwards')).toEqual([]);
  });

  it('say that nothing was found', async () => {
    await scene.visit(`/flow${VIEW}&start=${encodeURIComponent('<b>none</b>')}`);
    await scene.until('document.querySelector("section[aria-label=Journeys] .no-rows")');
    expect(await page().$('main section b')).toBeNull();
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;
  let person: Person;
  const page = () => scene.console.page;
  const journeys = (direction: 'from' | 'to', path: string) => {
    const condition = { kind: 'page', filters: [{ field: 'path', op: 'eq', value: path }] };
    const parameters = [{ name: 'journeys', [direction]: condition, steps: 3, branches: 5 }];
    return scene.rows('journeys', { ...RANGE, parameters });
  };
  const names = async () =>
    (await page().evaluate(
      '[...document.querySelectorAll(".flow-node span:first-child")].map((each) => each.textContent)',
    )) as string[];
  const tableRows = async () =>
    (await page().evaluate(
      '[...document.querySelectorAll("section[aria-label=Journeys] tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent))',
    )) as string[][];

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    person = new Person(scene.console.page);
    await sendShopVisits(scene);
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });
  afterAll(() => scene.close());
});
