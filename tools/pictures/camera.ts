import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import type { FirstRun } from '../../scripts/supervisor/screen';
import { CHROMIUM_FLAGS, WITH_SCROLLBARS } from './chromium';
import { USUAL, type Look, type PicturedPage } from './pages';

const QUALITY = 60;
/** Pixels; a longer page is cut there. */
const MAX_HEIGHT = 1_600;
const SETTLED = "!document.querySelector('[aria-busy=true], [class*=skeleton]')";

/** Takes pictures of the console into a folder. */
export class Camera {
  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
    private readonly consoleUrl: string,
    private readonly folder: string,
  ) {}

  static async open(executablePath: string, { apiUrl }: FirstRun, folder: string): Promise<Camera> {
    const browser = await puppeteer.launch({
      executablePath,
      headless: true,
      args: CHROMIUM_FLAGS,
      ...WITH_SCROLLBARS,
    });
    mkdirSync(folder, { recursive: true });
    return new Camera(browser, await browser.newPage(), `${apiUrl}/console`, folder);
  }

  async signIn({ email, password }: FirstRun['owner']): Promise<void> {
    await this.page.goto(`${this.consoleUrl}/sign-in`);
    await this.page.waitForSelector('input[name=email]');
    await this.page.type('input[name=email]', email);
    await this.page.type('input[name=password]', password);
    await this.page.click('button[type=submit]');
    await this.page.waitForSelector('xpath/.//h1[.="Websites"]');
    await this.page.waitForNetworkIdle(); // a request that is left under way keeps the network from being idle later
  }

  async take({ name, path, follow, also = [] }: PicturedPage): Promise<void> {
    await this.look(USUAL);
    await this.page.goto(`${this.consoleUrl}${path}`);
    if (follow !== undefined) {
      const link = await this.page.waitForSelector(follow);
      await link?.evaluate((element) => (element as unknown as { click(): void }).click()); // no types of the browser here
    }
    for (const look of [USUAL, ...also]) {
      await this.look(look);
      await this.save(`${name}${look.name}`, look.width);
    }
  }

  private async look({ width, colours }: Look): Promise<void> {
    await this.page.setViewport({ width, height: 800 });
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
  }

  private async save(name: string, width: number): Promise<void> {
    await this.page.waitForSelector('h1');
    await this.page.waitForNetworkIdle();
    await this.page.waitForFunction(SETTLED);
    const height = Number(await this.page.evaluate('document.documentElement.scrollHeight'));
    await this.page.screenshot({
      path: join(this.folder, `${name}.webp`),
      quality: QUALITY,
      clip: { x: 0, y: 0, width, height: Math.min(height, MAX_HEIGHT) },
      captureBeyondViewport: true,
    });
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
