import { InterceptResolutionAction, type Browser, type HTTPRequest, type Page } from 'puppeteer-core';
import { Accounts } from '../../apps/api/src/identity/accounts/accounts';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { build } from '../journeys/product';
import { freePort } from '../network/free-port';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { overflowOf, RULES_OF_LOOKS, violationsIn } from './accessibility';
import { openChromium } from './chromium';
import { SCREENS, type Colours } from './screens';

/** A folder for pictures of the pages. */
const PICTURES = process.env['PICTURES'];

/** The console in a browser, with an owner of an organization with a website, who is not signed in. */
export class ConsoleScene {
  /** The reports of the browser: errors of scripts, of requests, and of the content security policy. */
  readonly errors: string[] = [];

  private constructor(
    readonly api: TestApi,
    readonly owner: Owner,
    readonly browser: Browser,
    readonly page: Page,
    readonly projector: DirectProjector,
  ) {
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) this.errors.push(message.text());
    });
    page.on('pageerror', (error) => this.errors.push(String(error)));
  }

  static async open(variables: Readonly<Record<string, string>> = {}): Promise<ConsoleScene> {
    await build();
    const port = await freePort();
    const api = await startTestApi({ PUBLIC_API_URL: `http://127.0.0.1:${port}`, ...variables }, {}, port);
    const owner = await ownerWithWebsite(api);
    const projector = await projectInto(api.settings.databaseUrl, []);
    const browser = await openChromium();
    return new ConsoleScene(api, owner, browser, await browser.newPage(), projector);
  }

  /** Makes the owner an operator, who sees the projections. */
  letOwnerOperate(): Promise<void> {
    return this.api.app.get(Accounts).markDemoOwner(this.owner.email);
  }

  /** Opens an address of the console, below `/console`. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.api.settings.publicApiUrl}/console${path}`);
  }

  /** Opens an address of the console as its own links do: without loading it anew. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
  }

  /** Until the page with this heading is shown. */
  async shows(heading: string): Promise<void> {
    await this.page.waitForSelector(`xpath/.//h1[normalize-space()=${JSON.stringify(heading)}]`);
  }

  /** From the page of the sign-in to the websites. */
  async signIn(password = 'correct horse battery'): Promise<void> {
    await this.page.waitForSelector('input[name=email]');
    await this.page.type('input[name=email]', this.owner.email);
    await this.page.type('input[name=password]', password);
    await this.page.locator('button[type=submit]').click();
  }

  /** Shows the page as a screen of this width and a system with these colours does. */
  async as(width: number, colours: Colours): Promise<void> {
    await this.page.setViewport({ width, height: 900 });
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
  }

  /** Answers requests to this path of the api with a refusal, until the function that it returns is called. */
  async refuse(path: string, problem: { readonly code: string; readonly error: string }): Promise<() => Promise<void>> {
    const answer = (request: HTTPRequest) => {
      if (request.interceptResolutionState().action === InterceptResolutionAction.Disabled) return; // after the last one
      void (new URL(request.url()).pathname === path
        ? request.respond({ status: 400, contentType: 'application/json', body: JSON.stringify(problem) })
        : request.continue());
    };
    this.page.on('request', answer);
    await this.page.setRequestInterception(true);
    return async () => {
      await this.page.setRequestInterception(false);
      this.page.off('request', answer);
    };
  }

  /** Every violation of WCAG 2.2 AA and of good practice, as axe finds them. */
  violations(): Promise<string[]> {
    return violationsIn(this.page);
  }

  /**
   * Returns what is wrong with the page on each screen: violations, and what does not fit; takes pictures of this name.
   */
  async faults(name: string): Promise<string[]> {
    const faults: string[] = [];
    for (const [index, [width, colours]] of SCREENS.entries()) {
      await this.as(width, colours);
      faults.push(...(await violationsIn(this.page, index === 0 ? {} : { rules: RULES_OF_LOOKS })));
      const overflow = await overflowOf(this.page);
      if (overflow !== 0) faults.push(`wider than ${width} px by ${overflow} px`);
      await this.picture(`${name}-${width}-${colours}`);
    }
    return faults;
  }

  async picture(name: string): Promise<void> {
    if (PICTURES !== undefined) await this.page.screenshot({ path: `${PICTURES}/console-${name}.png`, fullPage: true });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.projector.close();
    await this.api.close();
  }
}
