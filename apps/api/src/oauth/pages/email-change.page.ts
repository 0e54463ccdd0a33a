import type { NewAddress } from '../../accounts/email-changes';
import { html } from '../../http/html';
import type { Page } from './page';

const TITLE = 'Your new address';

/** Asks the person of the account whether its address is to change. */
export const emailChangePage = ({ from, to }: NewAddress, token: string, formToken: string): Page => ({
  title: TITLE,
  content: html`<h1>Change the address of your account</h1>
    <p>From ${from}<br />to <strong>${to}</strong></p>
    <p class="soft">You sign in with the new address from then on.</p>
    <form method="post" action="verify-email/confirm">
      <input type="hidden" name="token" value="${formToken}" />
      <input type="hidden" name="change" value="${token}" />
      <div class="actions"><button>Change the address</button></div>
    </form>`,
});

export const emailChangedPage = ({ to }: NewAddress): Page => ({
  title: TITLE,
  content: html`<h1>The address of your account is <strong>${to}</strong></h1>
    <p>You sign in with it from now on. You can close this page.</p>`,
});

export const emailNotChangedPage = (reason: string): Page => ({
  title: TITLE,
  content: html`<h1>The address of your account was not changed</h1>
    <p role="alert">${reason}</p>`,
});

export const WRONG_LINK = 'This link has expired, was used already, or is not complete.';
