import type { AuthorizationRequest } from '../authorization-request';
import { html, type Html } from './html';
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

const signInForm = (hidden: Html, hasFailed: boolean): Html =>
  html`${hasFailed ? html`<p class="problem" role="alert">Email or password is wrong.</p>` : undefined}
    <form method="post" action="sign-in">
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
