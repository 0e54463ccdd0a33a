import fc from 'fast-check';
import {
  chainHash,
  contentHash,
  GENESIS,
  type ChainedEvent,
  leaveOut,
  type ChainLink,
  type ShownLink,
} from './appended-events';
import type { InvalidPlace } from './chain-faults';
import type { ChainHead, ChainPlace, HistoryEntry } from './event-store';
import { verifyLinks } from './verify-chain';

/** Hits every place of chains of up to this many events, with any of them left out. */
const MAX_LENGTH = 12;

interface Chain {
  /** Newest first. */
  readonly links: readonly ChainLink[];
  readonly head: ChainHead;
}

describe('the walk down a chain, with any events left out', () => {
  it('holds over what was recorded', () =>
    forEveryChain(async ({ links, head }) => {
      expect(await verifyLinks(links, [head])).toEqual({ valid: true, events: links.length, unsealed: 0 });
    }));

  it('names the first place of what was changed', () =>
    forEveryChain(async ({ links, head }, at, change) => {
      const { revision } = placeOf(links[at]!);
      const changed = links.map((link, n) => (n === at ? changes[change % changes.length]!(link) : link));
      await expectInvalid(changed, head, { revision, finding: 'changed' });
    }));

  it('names the newest place where the head is not the one of an event that is right in itself', () =>
    forEveryChain(async ({ links, head }) => {
      const { revision } = head;
      const finding = 'head_mismatch';
      await expectInvalid(links, { revision, hash: 'f'.repeat(64) }, { revision, finding });
      const rewritten = chainOf(links.length, 0, revision).links[0]!;
      await expectInvalid(links.with(0, rewritten), head, { revision, finding });
    }));

  it('names the place of what was dropped', () =>
    forEveryChain(async ({ links, head }, at) => {
      const { revision } = placeOf(links[at]!);
      const left = links.filter((_, n) => n !== at);
      await expectInvalid(left, head, { revision, finding: 'dropped' });
    }));

  it('names the first of two places that were swapped', () =>
    forEveryChain(async ({ links, head }, at, other) => {
      const to = other % links.length;
      if (to === at) return;
      const swapped = links.map((link, n) => (n === at ? links[to]! : n === to ? links[at]! : link));
      const revision = Math.min(placeOf(links[at]!).revision, placeOf(links[to]!).revision);
      await expectInvalid(swapped, head, { revision, finding: 'swapped' });
    }));

  it('names the place below the newest one of an event whose hash was computed anew', () =>
    forEveryChain(async ({ links, head }, at) => {
      const link = links[at]!;
      if (at === 0 || 'contentHash' in link) return;
      const { revision, previousHash } = placeOf(link);
      const forged = { ...link, metadata: { ...link.metadata, actor: 'usr_2' } };
      const chain = { revision, previousHash, hash: chainHash(forged, previousHash) };
      await expectInvalid(links.with(at, { ...forged, chain }), head, { revision, finding: 'changed' });
    }));

  it('names the first of two places whose events, or parts of them, were exchanged', () =>
    forEveryChain(async ({ links, head }, at, other) => {
      const to = other % links.length;
      if (to === at) return;
      for (const exchange of exchanges) {
        const [one, two] = exchange(links[at]!, links[to]!);
        const swapped = links.with(at, one).with(to, two);
        const revision = Math.min(placeOf(links[at]!).revision, placeOf(links[to]!).revision);
        await expectInvalid(swapped, head, { revision, finding: 'swapped' });
      }
    }));

  it('names the place of what was inserted, with a place of its own or without', () =>
    forEveryChain(async ({ links, head }, at, kind) => {
      const { revision, hash } = placeOf(links[at]!);
      const event = eventAt(revision + 1, `forged-${at}`);
      const place = { revision: revision + 1, previousHash: hash, hash: chainHash(event, hash) };
      const forged: ShownLink = { ...event, chain: kind % 2 === 0 ? place : null };
      const inserted = links.flatMap((link, n) => (n === at ? [forged, link] : [link]));
      const verdict = await verifyLinks(inserted, [head]);
      if (at === 0 && kind % 2 === 1) expect(verdict).toMatchObject({ valid: true, unsealed: 1 });
      else expect(verdict).toMatchObject(insertedAt(at, revision + 1, event.id));
    }));

  it('counts what came after its head, if a later head includes it', () =>
    forEveryChain(async ({ links, head }, at) => {
      const since = links.slice(at);
      const { revision, hash } = placeOf(since[0]!);
      const verdict = await verifyLinks(links, [{ revision, hash }], () => Promise.resolve(head));
      expect(verdict).toEqual({ valid: true, events: since.length, unsealed: at });
      const unknown = await verifyLinks(links, [{ revision, hash }]);
      expect(unknown).toMatchObject(at === 0 ? { valid: true } : insertedAt(0, revision + 1, idOf(links[0]!)));
      const forged = { ...placeOf(links[0]!), revision: head.revision + 1_000 };
      const above = [{ ...links[0]!, chain: forged }, ...links];
      const later = () => Promise.resolve({ revision: forged.revision, hash });
      expect(await verifyLinks(above, [{ revision, hash }], later)).toMatchObject(insertedAt(0, revision + 1));
    }));

  it('names a copy of an event wherever it was inserted, as it is, changed, or with a hash of its own', () =>
    forEveryChain(async ({ links, head }, at, other) => {
      const copied = links[other % links.length]!;
      if (copied === links[at] || copied === links[at - 1]) return; // which of two equal neighbours is the copy?
      const { previousHash, ...place } = placeOf(copied);
      const event = { ...eventAt(99), ...copied };
      const itself =
        'contentHash' in event
          ? copied
          : { ...event, chain: { ...place, previousHash, hash: chainHash(event, previousHash) } };
      for (const copy of [
        copied,
        { ...copied, ...('id' in copied ? { id: 'forged' } : { contentHash: GENESIS }) },
        itself,
      ]) {
        const inserted = links.toSpliced(at, 0, copy);
        const revision = placeOf(links[at]!).revision + 1;
        expect(await verifyLinks(inserted, [head])).toMatchObject(insertedAt(at, revision, idOf(copy)));
      }
    }));

  it('names an event whose place was changed to another', () =>
    forEveryChain(async ({ links, head }, at, other) => {
      const place = placeOf(links[at]!);
      if (other === place.revision || at === 0) return;
      const changed = links.with(at, { ...links[at]!, chain: { ...place, revision: other } });
      await expectInvalid(changed, head, { revision: place.revision, finding: 'changed' });
    }));

  it('notices a chain that was cut back, or rewritten from a place on', () =>
    forEveryChain(async ({ links, head }, at, other) => {
      const cut = links.slice(at + 1);
      await expectInvalid(cut, head, { revision: links.length - 1 - at, finding: 'dropped' });
      const rewritten = chainOf(links.length, other, links.length - 1 - at).links;
      expect((await verifyLinks(rewritten, [head])).valid).toBe(false);
    }));
});

it('an event of the first schema cannot be left out, as its hash does not include its content’s', () => {
  const event = { ...eventAt(0), metadata: { schemaVersion: '1' } };
  const entry = { ...event, chain: placeAfter(event, undefined) } as unknown as HistoryEntry;
  expect(leaveOut(entry)).toBeNull();
  expect(leaveOut({ ...entry, metadata: {} })).toBeNull();
  expect(leaveOut({ ...entry, metadata: { schemaVersion: '2' }, chain: null })).toBeNull();
});

async function expectInvalid(links: readonly ChainLink[], head: ChainHead, place: InvalidPlace): Promise<void> {
  const verdict = await verifyLinks(links, [head]);
  expect(verdict).toMatchObject({ valid: false, firstInvalid: place });
}

const changes: readonly ((link: ChainLink) => ChainLink)[] = [
  (link) => ({ ...link, chain: { ...placeOf(link), hash: 'f'.repeat(64) } }),
  (link) => ({ ...link, chain: { ...placeOf(link), previousHash: 'f'.repeat(64) } }),
  (link) => ('contentHash' in link ? { ...link, contentHash: 'f'.repeat(64) } : { ...link, data: { n: 'forged' } }),
  (link) => ('contentHash' in link ? { ...link, contentHash: GENESIS } : { ...link, sealed: 'AAAA' }),
  (link) => ('contentHash' in link ? { ...link, contentHash: 'e'.repeat(64) } : { ...link, stream: 'org_2-thing-1' }),
];

/** The parts that may be exchanged between two places beside all of it. */
const exchanges: readonly ((one: ChainLink, two: ChainLink) => readonly [ChainLink, ChainLink])[] = [
  (one, two) => [
    { ...two, chain: placeOf(one) },
    { ...one, chain: placeOf(two) },
  ],
  (one, two) => [
    { ...two, chain: { ...placeOf(two), revision: placeOf(one).revision } },
    { ...one, chain: { ...placeOf(one), revision: placeOf(two).revision } },
  ],
  (one, two) => [
    { ...one, chain: { ...placeOf(one), revision: placeOf(two).revision } },
    { ...two, chain: { ...placeOf(two), revision: placeOf(one).revision } },
  ],
  (one, two) => exchanged(one, two, ['data']),
  (one, two) => exchanged(one, two, ['type', 'data', 'sealed', 'metadata']),
  (one, two) => exchanged(one, two, ['id', 'stream', 'revision']),
];

function exchanged(one: ChainLink, two: ChainLink, names: readonly (keyof ChainedEvent)[]) {
  if ('contentHash' in one || 'contentHash' in two)
    return [
      { ...two, chain: placeOf(one) },
      { ...one, chain: placeOf(two) },
    ] as const;
  const of = (link: ShownLink) => Object.fromEntries(names.map((name) => [name, link[name]]));
  return [
    { ...one, ...of(two) },
    { ...two, ...of(one) },
  ] as const;
}

/** A random chain of which random events are left out, and two random numbers of which the first is one of its places. */
async function forEveryChain(check: (chain: Chain, at: number, other: number) => Promise<void>): Promise<void> {
  const any = fc
    .integer({ min: 1, max: MAX_LENGTH })
    .chain((length) =>
      fc.tuple(
        fc.constant(length),
        fc.nat({ max: 2 ** MAX_LENGTH - 1 }),
        fc.nat({ max: length - 1 }),
        fc.nat({ max: 99 }),
      ),
    );
  const property = fc.asyncProperty(any, ([length, leftOut, at, other]) => check(chainOf(length, leftOut), at, other));
  await fc.assert(property, { numRuns: 150 });
}

/** `leftOut` is a bit per place; from `forgedFrom` on the events are others than without it. */
function chainOf(length: number, leftOut: number, forgedFrom = Infinity): Chain {
  const entries: (ShownLink & { chain: ChainPlace })[] = [];
  for (let n = 0; n < length; n += 1) {
    const event = eventAt(n, n >= forgedFrom ? 'forged' : 'thing');
    entries.unshift({ ...event, chain: placeAfter(event, entries[0]?.chain) });
  }
  const links = entries.map((entry) => {
    const isLeftOut = ((leftOut >> entry.chain.revision) & 1) === 1 && entry.metadata['schemaVersion'] === '2';
    return isLeftOut ? { contentHash: contentHash(entry), chain: entry.chain } : entry;
  });
  const { revision, hash } = entries[0]!.chain;
  return { links, head: { revision, hash } };
}

function placeAfter(event: ChainedEvent, before: ChainPlace | undefined): ChainPlace {
  const previousHash = before?.hash ?? GENESIS;
  return { revision: (before?.revision ?? -1) + 1, previousHash, hash: chainHash(event, previousHash) };
}

/** Every fourth event is of the first schema. */
const eventAt = (n: number, name = 'thing'): ChainedEvent => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  type: 'SomethingDecided',
  data: { n, name },
  metadata: { actor: 'usr_1', ...(n % 4 === 3 ? {} : { schemaVersion: '2' }) },
  stream: `org_1-${name}-1`,
  revision: n,
});

const insertedAt = (at: number, revision: number, id?: string) => ({
  valid: false,
  firstInvalid: { revision, finding: 'inserted', ...(id === undefined ? {} : { id }) },
  firstInvalidAt: at,
});

const idOf = (link: ChainLink): string | undefined => ('id' in link ? link.id : undefined);

const placeOf = (link: ChainLink): ChainPlace => link.chain!;
