import type { OAuthGrant } from '@ledgerline/contracts/records';
import { displayName } from '../../http/display-name';
import { hostOf } from '@ledgerline/contracts/parse-url';
import { SCOPES, type ConsentChoice } from './consent.page';
import { html, type Html } from '../../http/html';
import type { Page } from './page';

export interface ShownGrant {
  readonly grant: OAuthGrant;
  readonly organization: string;
  /** Their names; null = everything. */
  readonly websites: readonly string[] | null;
}

/** Shows people what they have allowed, and lets them end it. */
export const grantsPage = (
  { name, email }: ConsentChoice['person'],
  grants: readonly ShownGrant[],
  formToken: string,
): Page => ({
  title: 'What you have allowed',
  content: html`<h1>Programs that use Ledgerline for you</h1>
    ${grants.length === 0 ? html`<p>None. You have allowed nothing that has not ended.</p>` : undefined}
    ${grants.map((each) => grantSection(each, formToken))}
    <p class="soft">You are signed in as ${name} (${email}).</p>`,
});

const grantSection = ({ grant, organization, websites }: ShownGrant, formToken: string): Html =>
  html`<fieldset>
    <legend>${hostOf(grant.clientId)}</legend>
    <p>It calls itself “<bdi>${displayName(grant.clientName)}</bdi>”. Allowed on ${dayOf(grant.createdAt)}.</p>
    <p>In ${organization}: ${websites === null ? 'everything' : `only ${websites.join(', ')}`}</p>
    <ul>
      ${grant.scopes.map((scope) => html`<li>${SCOPES[scope].label}</li>`)}
    </ul>
    <form method="post" action="grants">
      <input type="hidden" name="token" value="${formToken}" />
      <input type="hidden" name="grantId" value="${grant.id}" />
      <div class="actions"><button class="plain">End access</button></div>
    </form>
  </fieldset>`;

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
