import { html } from '../../http/html';
import type { Page } from './page';

/** A request that cannot be answered to the client, because it is not certain who that is. */
export const refusedPage = (reason: string): Page => ({
  title: 'This request cannot be answered',
  content: html`<h1>This request cannot be answered</h1>
    <p role="alert">${reason}</p>
    <p class="soft">Nothing was allowed. Close this page and connect again from the program you came from.</p>`,
});

export const EXPIRED = 'It has expired, or it was changed on its way.';
