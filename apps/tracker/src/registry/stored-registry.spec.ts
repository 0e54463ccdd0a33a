import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import request from 'supertest';
import { v4 as uuid } from 'uuid';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { EventStore, ExpectedRevision } from '@ledgerline/platform/event-store/event-store';
import { PostgresEventStore } from '@ledgerline/platform/event-store/postgres-event-store';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { projectInto, type DirectProjector } from '@test/query/projected-database';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { createTracker } from '../create-tracker';

/** Two trackers: the first one began without read models, the second one with those up to `BEFORE`. */
describe('a tracker that starts on read models', () => {
  it('replays nothing that they include', () => expect(readFrom[0]).toBe(checkpoint));

  it('knows websites and keys', () => {
    const registry = second.get(Registry);
    expect(registry.find('websites', 'site_1')).toMatchObject({ domain: 'shop.example', organizationId: 'org_1' });
    expect(registry.find('apiKeys', 'key_1')).toEqual(first.app.get(Registry).find('apiKeys', 'key_1'));
    expect(registry.isDeleted('org_gone')).toBe(true);
  });

  it('redirects old links, and new ones from the moment they are created', async () => {
    expect(await targets('old')).toEqual(['https://a.test/', 'https://a.test/']);
    await first.createLink('link_new', { slug: 'new', targetUrl: 'https://a.test/' });
    expect(await targets('new')).toEqual(['https://a.test/', 'https://a.test/']);
    expect(await targets('never')).toEqual([404, 404]);
  });

  it('redirects as every change demands, though the read models are behind, and after they have caught up', async () => {
    await decide('org_1-link-link_old', 0, {
      type: 'LinkUpdated',
      data: { ...old, targetUrl: 'https://b.test/', before: {} },
    });
    await caughtUp();
    expect(await targets('old')).toEqual(['https://b.test/', 'https://b.test/']);
    await projector.catchUp();
    expect(await targets('old')).toEqual(['https://b.test/', 'https://b.test/']);
    await decide('org_1-link-link_old', 1, { type: 'LinkDeleted', data: { ...old } });
    await caughtUp();
    expect(await targets('old')).toEqual([404, 404]);
    await projector.catchUp();
    expect(await targets('old')).toEqual([404, 404]);
  });
});

const old = {
  linkId: 'link_old',
  organizationId: 'org_1',
  slug: 'old',
  name: 'Old',
  targetUrl: 'https://a.test/',
  ...plainLink,
} satisfies LinkDetails & { linkId: string };

let first: RunningTracker;
let second: NestFastifyApplication;
let projector: DirectProjector;
let checkpoint: string;
let dataDir: string;
const readFrom: string[] = [];

beforeAll(async () => {
  first = await startTracker();
  await first.registerWebsite('site_1', { domain: 'shop.example' });
  await first.createKey('key_1', { scopes: ['track:events'], tags: ['a'] });
  await first.createLink('link_old', { slug: 'old', targetUrl: 'https://a.test/' });
  const gone = { organizationId: 'org_gone', name: 'Gone' };
  await decide('org_gone-organization-org_gone', 'no-stream', {
    type: 'OrganizationCreated',
    data: { ...gone, ownerId: 'usr_1' },
  });
  await decide('org_gone-organization-org_gone', 0, { type: 'OrganizationDeleted', data: gone });
  projector = await projectInto(first.settings.databaseUrl, []);
  await projector.catchUp();
  checkpoint = await first.store.head(0);
  const read = jest.spyOn(PostgresEventStore.prototype, 'read');
  dataDir = await mkdtemp(join(tmpdir(), 'ledgerline-tracker-'));
  read.mockImplementation(function (this: EventStore, ...args) {
    if (first.store !== this) readFrom.push(args[1]);
    return original.apply(this, args);
  });
  second = await createTracker({ ...first.settings, dataDir }, createLogger('tracker', 'fatal'));
  await second.init();
  await second.getHttpAdapter().getInstance().ready();
  read.mockRestore();
});
const original = PostgresEventStore.prototype.read;

afterAll(async () => {
  await second.close();
  await projector.close();
  await first.stop();
  await rm(dataDir, { recursive: true });
});

async function decide(stream: string, expected: ExpectedRevision, { type, data }: DecidedEvent): Promise<void> {
  const event = { id: uuid(), type, data: data as unknown as JsonObject, metadata: {} };
  expect(await first.store.append(stream, expected, [event])).toMatchObject({ ok: true });
}

const caughtUp = () => Promise.all([first.app, second].map((app) => app.get(LiveRegistry).catchUp()));

/** Where both trackers lead to; or the status. */
const targets = (slug: string) =>
  Promise.all(
    [first.app, second].map(async (app) => {
      const { status, headers } = await request(app.getHttpServer()).head(`/${slug}`).redirects(0);
      return headers['location'] ?? status;
    }),
  );
