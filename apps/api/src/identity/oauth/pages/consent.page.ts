import type { GrantScope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { html, type Html } from '../../../http/html';
import { isLoopback, type AuthorizationRequest } from '../authorization-server';
import type { HtmlPage } from './page';

export interface ConsentChoice {
  readonly person: { readonly name?: string | undefined; readonly email?: string | undefined };
  readonly organizations: readonly OfferedOrganization[];
  /** Proves to the form's route that this page was shown in the session that sends it. */
  readonly formToken: string;
  readonly problem: ConsentProblem | undefined;
}

export interface OfferedOrganization {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly websites: readonly { readonly id: string; readonly name: string; readonly domain: string }[];
}

export const CONSENT_PROBLEMS = {
  organization: 'Choose an organization.',
  websites: 'Choose at least one website, or all.',
  scopes: 'Choose at least one thing that it may do, or deny.',
} as const;
export type ConsentProblem = keyof typeof CONSENT_PROBLEMS;

/** Begins what a scope covers where only some websites are chosen. */
const LIMITED = 'With only some websites:';

export const SCOPE_CONSENT_LABELS: Readonly<Record<GrantScope, { readonly label: string; readonly note: string }>> = {
  'read:data': {
    label: 'See websites, links and statistics',
    note: `Visitors, pages, campaigns, clicks. ${LIMITED} no links.`,
  },
  'write:data': {
    label: 'Create, change and delete links and websites',
    note: `As far as you may do so yourself. ${LIMITED} these, and no links.`,
  },
  'manage:flags': {
    label: 'See and change feature flags',
    note: `As far as you may do so yourself. ${LIMITED} the flags of these.`,
  },
  'read:audit': {
    label: 'Read the audit log',
    note: `Who changed what, with names and addresses. For admins. ${LIMITED} nothing.`,
  },
};

/** The scopes chosen at first; one that changes something, or shows what people do, is chosen by the person alone. */
const CHOSEN: readonly GrantScope[] = ['read:data'];

/** Asks a person what a client may do for them. */
export function consentPage(request: AuthorizationRequest, choice: ConsentChoice): HtmlPage {
  const { clientHost, clientName, redirectUri } = request;
  const title = `Allow ${clientHost}?`;
  const { name, email } = choice.person;
  const signIn = `sign-in?${request.signed}`;
  return {
    title,
    leadsTo: redirectUri,
    content: html`<h1>Allow <strong>${clientHost}</strong> to use Ledgerline for you?</h1>
      <p>It calls itself “<bdi>${clientName}</bdi>”. ${destination(request)}</p>
      <p class="soft">You are signed in as ${name} (${email}). <a href="${signIn}">Use another account</a></p>
      ${choice.problem && html`<p class="problem" role="alert">${CONSENT_PROBLEMS[choice.problem]}</p>`}
      ${choice.organizations.length === 0 ? NO_ORGANIZATION : undefined}
      <form method="post" action="consent">
        <input type="hidden" name="request" value="${request.signed}" />
        <input type="hidden" name="token" value="${choice.formToken}" />
        ${choice.organizations.length === 0 ? undefined : choices(request, choice.organizations)}
        <div class="actions">
          ${choice.organizations.length === 0 ? undefined : html`<button name="decision" value="allow">Allow</button>`}
          <button class="plain" name="decision" value="deny" formnovalidate>Deny</button>
        </div>
      </form>
      <p class="soft">
        Your own role always limits what it can do. You can <a href="grants">end its access</a> at any time.
      </p>`,
  };
}

const NO_ORGANIZATION = html`<p class="problem" role="alert">
  You belong to no organization, so there is nothing that you could allow.
</p>`;

const choices = ({ scopes }: AuthorizationRequest, organizations: readonly OfferedOrganization[]): Html => {
  const [first, ...others] = organizations;
  return html`${first && others.length === 0 ? onlyOrganization(first) : organizationChoice(organizations)}
    <fieldset>
      <legend>What it may do</legend>
      ${scopes.map(scopeChoice)}
    </fieldset>`;
};

const onlyOrganization = (only: OfferedOrganization): Html =>
  html`<fieldset>
    <legend>In ${only.name} <span class="soft">(you are ${only.role})</span></legend>
    <input type="hidden" name="organizationId" value="${only.id}" />
    ${extentChoice(only)}
  </fieldset>`;

/** The websites of an organization show once it is chosen, in browsers that know how; in others always. */
const organizationChoice = (organizations: readonly OfferedOrganization[]): Html =>
  html`<fieldset>
    <legend>In which organization</legend>
    ${organizations.map(
      (each) =>
        html`<div class="option">
          <label class="choice">
            <input type="radio" name="organizationId" value="${each.id}" required />
            <span>${each.name} <span class="soft">(you are ${each.role})</span></span>
          </label>
          <div class="part" role="group" aria-label="${each.name}">${extentChoice(each)}</div>
        </div>`,
    )}
  </fieldset>`;

const extentChoice = ({ id, websites }: OfferedOrganization): Html =>
  html`<label class="choice">
      <input type="radio" name="websites_${id}" value="all" checked />
      <span>Everything<small>All websites, also future ones, and links.</small></span>
    </label>
    ${websites.length === 0 ? undefined : websiteChoice(id, websites)}`;

const websiteChoice = (organizationId: string, websites: OfferedOrganization['websites']): Html =>
  html`<label class="choice">
      <input type="radio" name="websites_${organizationId}" value="some" />
      <span>Only these websites<small>Their statistics, settings and flags. No links, no audit log.</small></span>
    </label>
    <div class="list">
      ${websites.map(
        ({ id, name, domain }) =>
          html`<label class="choice">
            <input type="checkbox" name="websiteId" value="${id}" /><span>${name} <small>${domain}</small></span>
          </label>`,
      )}
    </div>`;

function scopeChoice(scope: GrantScope): Html {
  const { label, note } = SCOPE_CONSENT_LABELS[scope];
  return html`<label class="choice">
    <input type="checkbox" name="scope" value="${scope}" ${CHOSEN.includes(scope) ? html`checked` : undefined} />
    <span>${label}<small>${note}</small></span>
  </label>`;
}

function destination({ clientHost, redirectUri, redirectHost }: AuthorizationRequest): Html {
  if (isLoopback(redirectUri))
    return html`You return to a program on this computer (${redirectHost}). Allow this only if you started it yourself.`;
  if (redirectHost === clientHost) return html`You return to ${redirectHost}.`;
  return html`<br /><span class="warning">You return to ${redirectHost}, which is another address.</span>`;
}
