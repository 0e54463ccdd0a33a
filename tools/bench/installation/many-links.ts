import { randomUUID } from 'node:crypto';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import {
  type AppendRequest,
  type EventStore,
  type StreamName,
  slugStream,
} from '@ledgerline/platform/event-store/event-store';

const AT_ONCE = 128;
const metadata = { actor: 'usr_bench' };

/** The slug of the nth of many links. */
export const slugOf = (n: number): string => `many-${n.toString(36)}`;
/** Ten thousand of them. */
export const externalIdOf = (n: number): string => `partner-${n % 10_000}`;
/** A hundred of them. */
export const campaignOf = (n: number): string => `spring${(n * 7) % 100}`;

/** Appends many links with their slugs, as the api does, and many keys; `onLinks` is called now and then. */
export async function appendMany(
  store: EventStore,
  organizationId: string,
  { links, keys }: { readonly links: number; readonly keys: number },
  onLinks: (links: number) => void,
): Promise<void> {
  await inParallel(keys, (n) => store.appendInOrder([keyOf(organizationId, n)]));
  await inParallel(links, async (n) => {
    await store.appendInOrder(linkOf(organizationId, n));
    if (n % 100_000 === 0) onLinks(n);
  });
}

async function inParallel(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function linkOf(organizationId: string, n: number): readonly AppendRequest[] {
  const linkId = `link_many${n}`;
  const slug = slugOf(n);
  const targetUrl = `https://example.com/landing/${n}?campaign=${campaignOf(n)}`;
  const details = {
    organizationId,
    linkId,
    slug,
    name: `Link ${n}`,
    targetUrl,
    ...plainLink,
    externalId: externalIdOf(n),
  };
  return [
    first(slugStream(slug), { type: 'SlugReserved', data: { organizationId, linkId, slug } }),
    first(RECORD_KINDS.links.stream({ organizationId, id: linkId }), {
      type: 'LinkCreated',
      data: { ...details, createdBy: 'usr_bench' },
    }),
  ];
}

function keyOf(organizationId: string, n: number): AppendRequest {
  const keyId = `key_many${n}`;
  const secret = { secretId: `sec_many${n}`, start: 'svc_many' };
  const data = { organizationId, keyId, name: `Key ${n}`, ...secret, ...plainKey, scopes: ['read:data' as const] };
  return first(RECORD_KINDS.apiKeys.stream({ organizationId, id: keyId }), { type: 'ApiKeyCreated', data });
}

const first = (stream: StreamName, { type, data }: DecidedEvent): AppendRequest => ({
  stream,
  expected: 'no-stream',
  events: [{ id: randomUUID(), type, data, metadata }],
});
