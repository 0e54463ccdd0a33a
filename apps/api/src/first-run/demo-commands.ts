import { Inject, Injectable } from '@nestjs/common';
import type { Condition } from '@ledgerline/contracts/definitions';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus } from '@nestjs/cqrs';
import { Accounts } from '../accounts/accounts';
import { CreateApiKey } from '../api-keys/api-key.commands';
import { Annotations } from '../annotations/annotations';
import { Authenticator } from '../auth/authenticator';
import { Funnels, Goals } from '../goals/definitions';
import { Links, type NewLink } from '../links/links';
import { CreateOrganization } from '../organizations/organization.commands';
import { CreateRecord } from '../resources/resource.commands';
import { SETTINGS } from '../tokens';
import { Websites } from '../websites/websites';

/** What is random, drawn before anything is created. */
export interface DemoPlan {
  readonly email: string;
  readonly password: string;
  readonly secret: string;
}

export interface DemoEntries {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly linkId: string;
  readonly shortUrl: string;
}

/** Creates the demo with the commands of the public API. */
@Injectable()
export class DemoCommands {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly accounts: Accounts,
    private readonly authenticator: Authenticator,
    private readonly commands: CommandBus,
  ) {}

  /** The same plan creates the same entries, however often. */
  async create({ email, password, secret }: DemoPlan): Promise<DemoEntries> {
    const owner = await this.accounts.ensureDemoOwner({ email, password, name: 'Demo owner' });
    const context = () => ({ caller: this.authenticator.person(owner), idempotencyKey: 'first-run' });
    const organization = await this.commands.execute(new CreateOrganization({ name: 'Demo' }, context()));
    const organizationId = organization.entry.id;
    const website = await this.commands.execute(new CreateRecord(Websites, demoWebsite(organizationId), context()));
    const link = await this.commands.execute(new CreateRecord(Links, demoLink(organizationId), context()));
    await this.commands.execute(new CreateApiKey(demoKey(organizationId), secret, context()));
    const of = { organizationId, websiteId: website.entry.id };
    await this.commands.execute(new CreateRecord(Goals, { ...of, ...DEMO_GOAL }, context()));
    await this.commands.execute(new CreateRecord(Funnels, { ...of, ...DEMO_FUNNEL }, context()));
    const note = { ...of, text: 'Ledgerline was started', at: organization.entry.createdAt };
    await this.commands.execute(new CreateRecord(Annotations, note, context()));
    const shortUrl = `${this.settings.publicTrackUrl}/${link.entry.slug}`;
    return { organizationId, websiteId: website.entry.id, linkId: link.entry.id, shortUrl };
  }
}

const demoWebsite = (organizationId: string): WebsiteDetails => ({
  organizationId,
  name: 'Demo website',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: [],
  timezone: 'UTC',
  visitorIdentity: 'daily',
  retentionDays: null,
});

const demoLink = (organizationId: string): NewLink => ({
  organizationId,
  slug: 'demo',
  name: 'Demo link',
  targetUrl: 'https://example.com/',
  ...plainLink,
});

/** What `npm run simulate` sends, so that both have figures. */
const DEMO_GOAL = { name: 'Sign-ups', condition: happens('signup_finished') };
const DEMO_FUNNEL = {
  name: 'From prices to a sign-up',
  steps: [
    { name: 'Prices', condition: views('/pricing') },
    { name: 'Form', condition: views('/sign-up') },
    { name: 'Signed up', condition: happens('signup_finished') },
  ],
};

function views(path: string): Condition {
  return { kind: 'page', filters: [{ field: 'path', op: 'eq', value: path }] };
}

function happens(name: string): Condition {
  return { kind: 'event', filters: [{ field: 'name', op: 'eq', value: name }] };
}

const demoKey = (organizationId: string): ApiKeyDetails => ({
  organizationId,
  name: 'Demo key',
  ...plainKey,
  description: 'Created at the first start',
  scopes: ['read:data', 'write:data', 'track:events'],
});
