import type { NewAddress } from '../../accounts/email-changes';
import type { AuthorizationRequest } from '../authorization-request';
import { html, type Html } from '../../http/html';
import type { Page } from './page';

/** Asks for email and password, whoever is signed in. */
export const signInPage = (request: AuthorizationRequest, hasFailed: boolean): Page => ({
  title: 'Sign in',
  leadsTo: request.redirectUri,
  content: html`<h1>Sign in to let <strong>${request.clientHost}</strong> connect</h1>
    <p>After signing in you choose what it may see and do. Nothing is allowed yet.</p>
    ${signInForm(html`<input type="hidden" name="request" value="${request.signed}" />`, hasFailed)}`,
});

/** The same without a client that waits. */
export const signInToGrantsPage = (hasFailed: boolean): Page => ({
  title: 'Sign in',
  content: html`<h1>Sign in to see what you have allowed</h1>
    ${signInForm(html`<input type="hidden" name="next" value="grants" />`, hasFailed)}`,
});

/** To confirm a new address. It may be in the wrong hands, so the present one is not shown. */
export const signInToChangeEmailPage = (
  { to }: NewAddress,
  token: string,
  { hasFailed, isOther }: { readonly hasFailed: boolean; readonly isOther: boolean },
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
      hasFailed,
      'oauth2/sign-in',
    )}`,
});

const signInForm = (hidden: Html, hasFailed: boolean, action = 'sign-in'): Html =>
  html`${hasFailed ? html`<p class="problem" role="alert">Email or password is wrong.</p>` : undefined}
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
