import type { Page } from 'puppeteer-core';
import { waitUntil } from '../wait-until';
import type { ConsoleScene } from './console-scene';

/** The statuses that the browser reported itself, of requests that a test expects to be refused; forgotten then. */
export const refusedIn = ({ errors }: ConsoleScene): number[] =>
  errors.splice(0).map((error) => Number(/status of (\d+)/.exec(error)?.[1]));

/** A person in front of a page, who finds what is there by its label. */
export class Person {
  constructor(readonly page: Page) {}

  /** Types into the field, instead of what it held. */
  async fill(label: string, text: string): Promise<void> {
    await this.page.locator(named('textbox', label)).fill(text);
  }

  /** Types over what the field of this name holds, key by key, as a field wants it that suggests values. */
  async type(name: string, text: string): Promise<void> {
    const selector = `[name="${name}"]`;
    await this.page.waitForSelector(selector);
    await this.page.evaluate(`{ const field = document.querySelector('${selector}'); field.focus(); field.select(); }`);
    if (text === '') await this.page.keyboard.press('Backspace');
    else await this.page.keyboard.type(text);
  }

  async choose(label: string, value: string): Promise<void> {
    const select = await this.page.waitForSelector(named('combobox', label));
    await select?.select(value);
  }

  async press(
    name: string,
    role: 'button' | 'link' | 'checkbox' | 'radio' | 'menuitem' | 'tab' = 'button',
  ): Promise<void> {
    await this.page.locator(named(role, name)).click();
  }

  /** Presses the box until it is ticked: what loads above it may push it from under the pointer. */
  async tick(label: string): Promise<void> {
    await waitUntil(async () => {
      await this.press(label, 'checkbox');
      return this.page.$eval(named('checkbox', label), (box: { matches(selector: string): boolean }) =>
        box.matches(':checked'),
      );
    });
  }

  /** Until the page with this heading is shown. */
  async shows(heading: string): Promise<void> {
    await this.page.waitForSelector(`xpath/.//h1[normalize-space()=${JSON.stringify(heading)}]`);
  }

  /** Until this text is shown anywhere. */
  async reads(text: string | RegExp): Promise<string> {
    return waitUntil(
      () => this.text(),
      (shown) => (typeof text === 'string' ? shown.includes(text) : text.test(shown)),
      20_000,
    );
  }

  /** Until this text is not shown any more. */
  async misses(text: string): Promise<void> {
    await waitUntil(
      () => this.text(),
      (shown) => !shown.includes(text),
      20_000,
    );
  }

  /** Returns what is wrong with the field of this name, as the page says beside it. */
  async fault(name: string): Promise<string> {
    const selector = `[name="${name}"][aria-invalid=true]`;
    await this.page.waitForSelector(selector);
    const ids = `document.querySelector('${selector}').getAttribute('aria-describedby').split(' ')`;
    return String(await this.page.evaluate(`${ids}.map((id) => document.getElementById(id).textContent).join(' ')`));
  }

  private async text(): Promise<string> {
    return String(await this.page.evaluate('document.body.innerText'));
  }
}

const named = (role: string, name: string): string => `::-p-aria([name="${name}"][role="${role}"])`;
