import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { plainLink } from '@ledgerline/domain/links/plain-link';
import { plainKey } from '@ledgerline/domain/api-keys/plain-key';
import { ApiKeySecret } from '@ledgerline/platform/api-keys/api-key-secret.entity';
import { newSecret, startOf } from '@ledgerline/platform/api-keys/secret';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import type { EventStore, StreamName } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { v4 as uuid } from 'uuid';
import type { Subjects } from '../../scripts/traffic/observe';

/** Test data of the bench: websites with stable visitor ids, one short link, one API key that may read everything. */
export interface Registered {
  readonly subjects: readonly [Subjects, ...Subjects[]];
  readonly slug: string;
  readonly apiKey: string;
}

const ORGANIZATION = 'org_bench';
const LINK = 'link_bench';
const SLUG = 'bench';

export async function register(databaseUrl: string, pepper: string, websites: number): Promise<Registered> {
  const store = await openEventStore({ databaseUrl });
  const apiKey = newSecret();
  const ids = Array.from({ length: Math.max(websites, 1) }, (_, at) => `site_bench${at + 1}`);
  await append(store, `${ORGANIZATION}-organization-${ORGANIZATION}`, {
    type: 'OrganizationCreated',
    data: { organizationId: ORGANIZATION, name: 'Bench', ownerId: 'usr_bench' },
  });
  for (const id of ids) await append(store, `${ORGANIZATION}-website-${id}`, websiteRegistered(id));
  await append(store, `global-slug-${SLUG}`, slugReserved);
  await append(store, `${ORGANIZATION}-link-${LINK}`, linkCreated);
  await saveSecret(databaseUrl, pepper, apiKey);
  await append(store, `${ORGANIZATION}-key-key_bench`, keyCreated(apiKey));
  await store.close();
  const [first = subjects('site_bench1'), ...others] = ids.map(subjects);
  return { subjects: [first, ...others], slug: SLUG, apiKey };
}

async function append(store: EventStore, stream: StreamName, { type, data }: DecidedEvent): Promise<void> {
  const event = { id: uuid(), type, data: data as JsonObject, metadata: { actor: 'usr_bench' } };
  const result = await store.append(stream, 'no-stream', [event]);
  if (!result.ok) throw new Error(`${stream} exists already.`);
}

const subjects = (websiteId: string): Subjects => ({
  organizationId: ORGANIZATION,
  websiteId,
  domain: 'example.com',
  zone: 'UTC',
  identity: 'stable',
  linkId: LINK,
});

const websiteRegistered = (websiteId: string): DecidedEvent => ({
  type: 'WebsiteRegistered',
  data: {
    organizationId: ORGANIZATION,
    websiteId,
    name: websiteId,
    domain: 'example.com',
    isPublic: false,
    allowedOrigins: [],
    timezone: 'UTC',
    visitorIdentity: 'stable',
  },
});

const slugReserved: DecidedEvent = {
  type: 'SlugReserved',
  data: { organizationId: ORGANIZATION, linkId: LINK, slug: SLUG },
};

const linkCreated: DecidedEvent = {
  type: 'LinkCreated',
  data: {
    organizationId: ORGANIZATION,
    linkId: LINK,
    slug: SLUG,
    name: 'Bench',
    targetUrl: 'https://example.com/landing',
    ...plainLink,
    createdBy: 'usr_bench',
  },
};

const keyCreated = (secret: string): DecidedEvent => ({
  type: 'ApiKeyCreated',
  data: {
    organizationId: ORGANIZATION,
    keyId: 'key_bench',
    secretId: 'secret_bench',
    start: startOf(secret),
    name: 'Bench',
    ...plainKey,
    scopes: ['read:data', 'write:data', 'track:events'],
  },
});

async function saveSecret(url: string, pepper: string, secret: string): Promise<void> {
  const source = await openDataSource({ url, name: 'bench', max: 1, entities: [ApiKeySecret] });
  await new SecretStore(source, pepper).add(secret, { keyId: 'key_bench', secretId: 'secret_bench' });
  await source.destroy();
}
