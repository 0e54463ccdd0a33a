import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/organization.events';
import { isObject } from '@ledgerline/contracts/json';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { newSecret } from '@ledgerline/platform/api-keys/secret-store';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import type { Settings } from '@ledgerline/platform/config/settings';
import { systemErrorCode } from '@ledgerline/platform/config/start-failure';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { CreateRecord } from '../commands/resource.commands';
import { Accounts } from '../identity/accounts/accounts';
import { Authenticator } from '../identity/auth/authenticator';
import { Links, type NewLink } from '../links/links';
import { ApiKeys } from '../organizations/api-keys';
import { Organizations } from '../organizations/organizations';
import { Funnels, Goals } from '../query/goals/definitions';
import { EVENT_STORE, POOL, SETTINGS } from '../tokens';
import { Annotations } from '../websites/annotations';
import { Websites } from '../websites/websites';

/** The random parts of a demo, drawn before anything is created. */
interface DemoPlan {
  readonly email: string;
  readonly password: string;
  readonly secret: string;
}

interface DemoEntries {
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

  /** Creates the entries of a plan: the same plan creates the same ones, however often. */
  async create({ email, password, secret }: DemoPlan): Promise<DemoEntries> {
    const owner = await this.accounts.ensureDemoOwner({ email, password, name: 'Demo owner' });
    const context = () => ({ caller: this.authenticator.person(owner), idempotencyKey: 'first-run' });
    const organization = await this.commands.execute(new CreateRecord(Organizations, { name: 'Demo' }, context()));
    const organizationId = organization.entry.id;
    const website = await this.commands.execute(new CreateRecord(Websites, demoWebsite(organizationId), context()));
    const link = await this.commands.execute(new CreateRecord(Links, demoLink(organizationId), context()));
    await this.commands.execute(new CreateRecord(ApiKeys, demoKey(organizationId), context(), { secret }));
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

/** The goal that `npm run simulate` reaches, so that it has figures. */
const DEMO_GOAL = { name: 'Sign-ups', condition: happens('signup_finished') };
const DEMO_FUNNEL = {
  name: 'To the form',
  steps: [
    { name: 'Start', condition: views('/') },
    { name: 'Prices', condition: views('/pricing') },
    { name: 'Form', condition: views('/sign-up') },
  ],
};

function views(path: string): ConditionDefinition {
  return { kind: 'page', filters: [{ field: 'path', op: 'eq', value: path }] };
}

function happens(name: string): ConditionDefinition {
  return { kind: 'event', filters: [{ field: 'name', op: 'eq', value: name }] };
}

const demoKey = (organizationId: string): ApiKeyDetails => ({
  organizationId,
  name: 'Demo key',
  ...plainKey,
  description: 'Created at the first start',
  scopes: ['read:data', 'write:data', 'track:events'],
});

/** The content of `first-run.json`: everything that is needed for a first query. */
interface FirstRun extends DemoEntries {
  readonly apiUrl: string;
  readonly trackUrl: string;
  readonly apiKey: string;
  readonly owner: { readonly email: string; readonly password: string };
}

/**
 * The demo of the first start. Its password and key are drawn before anything is created and kept in a pending file, so
 * that a start after a crash continues with the same ones; every command is repeated under its own Idempotency-Key.
 */
@Injectable()
export class Demo {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly commands: DemoCommands,
    private readonly accounts: Accounts,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  /**
   * Creates the demo when the event store is empty, or finishes one that was interrupted; one process at a time, by a
   * lock that ends with its connection.
   */
  async createIfFirst(): Promise<FirstRun | undefined> {
    const client = await this.pool.connect();
    try {
      await run(client, sql`select pg_advisory_lock(hashtext(${'ledgerline first run'}))`);
      return await this.createOrFinish();
    } finally {
      client.release(true);
    }
  }

  private async createOrFinish(): Promise<FirstRun | undefined> {
    const pending = join(this.settings.dataDir, 'first-run.pending.json');
    const plan = ((await readJsonFile(pending)) as DemoPlan | undefined) ?? (await this.firstPlan(pending));
    if (!plan) {
      await this.markOwner();
      return undefined;
    }
    const { email, password } = plan;
    const firstRun: FirstRun = {
      apiUrl: this.settings.publicApiUrl,
      trackUrl: this.settings.publicTrackUrl,
      ...(await this.commands.create(plan)),
      apiKey: plan.secret,
      owner: { email, password },
    };
    writePrivately(join(this.settings.dataDir, 'first-run.json'), firstRun);
    await rm(pending);
    return firstRun;
  }

  /** The owner of a demo that an earlier version created. */
  private async markOwner(): Promise<void> {
    const firstRun = await readJsonFile(join(this.settings.dataDir, 'first-run.json')).catch(() => undefined);
    const owner = isObject(firstRun) ? firstRun['owner'] : undefined;
    const email = isObject(owner) ? owner['email'] : undefined;
    if (typeof email === 'string') await this.accounts.markDemoOwner(email);
  }

  private async firstPlan(pending: string): Promise<DemoPlan | undefined> {
    const { events } = await this.store.read(0, BEGINNING, { max: 1 });
    if (events.length > 0) return undefined;
    const plan: DemoPlan = {
      email: `demo-${randomBytes(3).toString('hex')}@example.com`,
      password: randomBytes(18).toString('base64url'),
      secret: newSecret(),
    };
    await mkdir(this.settings.dataDir, { recursive: true });
    writePrivately(pending, plan);
    return plan;
  }
}

/** Undefined when there is no such file. */
async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
