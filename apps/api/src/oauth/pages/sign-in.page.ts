import { UnverifiedAddress } from '../../accounts/account-refusals';
import type { NewAddress } from '../../accounts/email-changes';
import type { AuthorizationRequest } from '../authorization-request';
import { html, type Html } from '../../http/html';
import type { Page } from './page';

/** In the address of a page: of a wrong email or password, or of an address that is not verified. */
export type SignInFailure = '1' | 'unverified';

/** Asks for email and password, whoever is signed in. */
export const signInPage = (request: AuthorizationRequest, failed: string): Page => ({
  title: 'Sign in',
  leadsTo: request.redirectUri,
  content: html`<h1>Sign in to let <strong>${request.clientHost}</strong> connect</h1>
    <p>After signing in you choose what it may see and do. Nothing is allowed yet.</p>
    ${signInForm(html`<input type="hidden" name="request" value="${request.signed}" />`, failed)}`,
});

/** The same without a client that waits. */
export const signInToGrantsPage = (failed: string): Page => ({
  title: 'Sign in',
  content: html`<h1>Sign in to see what you have allowed</h1>
    ${signInForm(html`<input type="hidden" name="next" value="grants" />`, failed)}`,
});

/** To confirm a new address. It may be in the wrong hands, so the present one is not shown. */
export const signInToChangeEmailPage = (
  { to }: NewAddress,
  token: string,
  { failed, isOther }: { readonly failed: string; readonly isOther: boolean },
): Page => ({
  title: 'Sign in',
  content: html`<h1>Sign in to confirm <strong>${to}</strong></h1>
    <p>
      ${isOther ? 'You are signed in with another account. ' : undefined}Sign in with the address that your account has
      now.
    </p>
    ${signInForm(
      html`<input type="hidden" name="next" value="verify-email" />
        <input type="hidden" name="change" value="${token}" />`,
      failed,
      'oauth2/sign-in',
    )}`,
});

const signInForm = (hidden: Html, failed: string, action = 'sign-in'): Html =>
  html`${failed !== '' ? html`<p class="problem" role="alert">${sentenceOf(failed)}.</p>` : undefined}
    <form method="post" action="${action}">
      ${hidden}
      <label for="email">Email</label>
      <input class="text" id="email" name="email" type="email" autocomplete="username" required maxlength="254" />
      <label for="password">Password</label>
      <input
        class="text"
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="128"
      />
      <div class="actions"><button>Sign in</button></div>
    </form>`;

const sentenceOf = (failed: string): string =>
  failed === 'unverified' ? new UnverifiedAddress().message : 'Email or password is wrong';
