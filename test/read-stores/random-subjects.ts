import fc from 'fast-check';
import type { Caller } from '@ledgerline/domain/access/caller';
import { INTAKE_PARTITIONS } from '@ledgerline/platform/config/settings';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { ask, type Answer } from '../api/ask';
import type { Owner } from '../api/people';
import type { TestApi } from '../api/test-api';
import { clicks } from '../oracle/random-clicks';
import { traffic } from '../oracle/random-traffic';
import { waitUntil } from '../wait-until';
import { differencesFromOracle, type Recorded } from './oracle-answers';
import type { StoreProduct } from './store-product';

/** The place of a website or link among two read stores. */
export const placeOf = ({ id }: { readonly id: string }): number => 1 + (partitionOf(id, INTAKE_PARTITIONS) % 2);

/** Registers so many websites and links for each of two stores, and records what happens on them. */
export async function recordTraffic(
  product: StoreProduct,
  owner: Owner,
  { websites, links, seed }: Readonly<Record<'websites' | 'links' | 'seed', number>>,
): Promise<Recorded[]> {
  const { organizationId } = owner;
  const all: Recorded[] = [];
  for (const [at, { zone, start, events }] of fc.sample(traffic, { seed, numRuns: 2 * websites }).entries()) {
    const website = { organizationId, name: 'Shop', domain: 'example.com', timezone: zone };
    const id = await createIn(1 + (at % 2), () => create(product.api, owner, 'websites', website));
    all.push({ about: 'website', id, zone, start, events: events({ websiteId: id, organizationId, zone }) });
  }
  for (const [at, { start, events }] of fc.sample(clicks, { seed, numRuns: 2 * links }).entries()) {
    const link = { organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
    const id = await createIn(1 + (at % 2), () => create(product.api, owner, 'links', link));
    all.push({ about: 'link', id, zone: 'UTC', start, events: events({ linkId: id, organizationId }) });
  }
  for (const { id, events } of all) await product.send(id, events);
  return all;
}

/** Resolves when the read models include all of it. */
export async function projected(product: StoreProduct, all: readonly Recorded[]): Promise<void> {
  for (const { about, id } of all)
    if (!(await product.includes(`${about}s`, id))) throw new Error(`${id} was not projected in time.`);
}

/** Tells how an api's answers about all of them differ from the oracle's. */
export async function differences(api: TestApi, { id, organizationId }: Owner, all: readonly Recorded[]) {
  const caller: Caller = { kind: 'user', id, roles: new Map([[organizationId, 'owner']]) };
  const found: string[] = [];
  for (const one of all) found.push(...(await differencesFromOracle(api, caller, one)));
  return found;
}

export const question = (api: TestApi, { headers }: Owner, { about, id }: Recorded): Promise<Answer> =>
  ask(api, `POST /v1/query?${about}_id=${id}`, {
    body: { parameters: [about === 'link' ? 'link_total_clicks' : 'top_pages'], preset: 'last_7d' },
    headers,
  });

/** Ids are random: creates until one is in the store. */
const createIn = (place: number, make: () => Promise<string>): Promise<string> =>
  waitUntil(async () => {
    const id = await make();
    return placeOf({ id }) === place ? id : undefined;
  });

async function create(api: TestApi, owner: Owner, what: 'websites' | 'links', body: object): Promise<string> {
  const answer = await ask(api, `POST /v1/${what}`, { body, headers: owner.headers });
  if (answer.status !== 201) throw new Error(`${what}: ${answer.text}`);
  return answer.body.id as string;
}
