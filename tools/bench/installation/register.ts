import { v4 as uuid } from 'uuid';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { openEventStore, type EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { ApiKeySecret, newSecret, secretStart, SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { type EventStore, type StreamName, slugStream } from '@ledgerline/platform/event-store/event-store';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import type { Subjects } from '../../traffic/observe';

/** Test data of the bench: websites with stable visitor ids, one short link, one API key for all that keys may do. */
export interface Registered {
  readonly subjects: readonly [Subjects, ...Subjects[]];
  readonly slug: string;
  readonly apiKey: string;
}

/** Their names; an EventStoreDB has those of earlier installations, too. */
class Names {
  readonly organization: string;
  readonly link: string;

  constructor(readonly slug: string) {
    this.organization = `org_${slug}`;
    this.link = `link_${slug}`;
  }

  website(number: number): string {
    return `site_${this.slug}${number}`;
  }
}

export async function register(address: EventStoreAddress, pepper: string, websites: number): Promise<Registered> {
  const names = new Names(address.eventStoreUrl === undefined ? 'bench' : `bench${newUlid()}`);
  const store = await openEventStore(address);
  const apiKey = newSecret();
  const ids = Array.from({ length: Math.max(websites, 1) }, (_, at) => names.website(at + 1));
  const { organization, link, slug } = names;
  await append(store, RECORD_KINDS.organizations.stream({ id: organization }), {
    type: 'OrganizationCreated',
    data: { organizationId: organization, name: 'Bench', ownerId: 'usr_bench' },
  });
  for (const id of ids)
    await append(
      store,
      RECORD_KINDS.websites.stream({ organizationId: organization, id }),
      websiteRegistered(organization, id),
    );
  await append(store, slugStream(slug), slugReserved(names));
  await append(store, RECORD_KINDS.links.stream({ organizationId: organization, id: link }), linkCreated(names));
  await saveSecret(address.databaseUrl, pepper, apiKey);
  await append(
    store,
    RECORD_KINDS.apiKeys.stream({ organizationId: organization, id: 'key_bench' }),
    keyCreated(organization, apiKey),
  );
  await store.close();
  const [first = subjects(names, names.website(1)), ...others] = ids.map((id) => subjects(names, id));
  return { subjects: [first, ...others], slug, apiKey };
}

async function append(store: EventStore, stream: StreamName, { type, data }: DecidedEvent): Promise<void> {
  const event = { id: uuid(), type, data, metadata: { actor: 'usr_bench' } };
  const result = await store.append(stream, 'no-stream', [event]);
  if (!result.ok) throw new Error(`${stream} exists already.`);
}

const subjects = ({ organization, link }: Names, websiteId: string): Subjects => ({
  organizationId: organization,
  websiteId,
  domain: 'example.com',
  zone: 'UTC',
  identity: 'stable',
  linkId: link,
});

const websiteRegistered = (organizationId: string, websiteId: string): DecidedEvent => ({
  type: 'WebsiteRegistered',
  data: {
    organizationId,
    websiteId,
    name: websiteId,
    domain: 'example.com',
    isPublic: false,
    allowedOrigins: [],
    timezone: 'UTC',
    visitorIdentity: 'stable',
    retentionDays: null,
  },
});

const slugReserved = ({ organization, link, slug }: Names): DecidedEvent => ({
  type: 'SlugReserved',
  data: { organizationId: organization, linkId: link, slug },
});

const linkCreated = ({ organization, link, slug }: Names): DecidedEvent => ({
  type: 'LinkCreated',
  data: {
    organizationId: organization,
    linkId: link,
    slug,
    name: 'Bench',
    targetUrl: 'https://example.com/landing',
    ...plainLink,
    createdBy: 'usr_bench',
  },
});

const keyCreated = (organizationId: string, secret: string): DecidedEvent => ({
  type: 'ApiKeyCreated',
  data: {
    organizationId,
    keyId: 'key_bench',
    secretId: 'secret_bench',
    start: secretStart(secret),
    name: 'Bench',
    ...plainKey,
    scopes: ['read:data', 'write:data', 'track:events', 'manage:flags'],
  },
});

async function saveSecret(url: string, pepper: string, secret: string): Promise<void> {
  const source = await openDataSource({ url, name: 'bench', max: 1, entities: [ApiKeySecret] });
  await new SecretStore(source, pepper).add(secret, { keyId: 'key_bench', secretId: 'secret_bench' });
  await source.destroy();
}
