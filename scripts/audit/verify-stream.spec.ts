import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v5 } from 'uuid';
import { audited, auditedActor } from '@ledgerline/domain/audit/audited-events';
import { chainHash, GENESIS } from '@ledgerline/platform/event-store/appended-events';
import { headLine, streamLine } from '@ledgerline/platform/event-store/audit-export';
import { asDecided } from '@ledgerline/platform/event-store/event-store';
import { publicKeysOf, signHead } from '@ledgerline/platform/event-store/head-statement';
import { describeStream, verifyStream } from './verify-stream';

describe('a stored audit stream', () => {
  it('is proven up to its newest signed head, also where requests came again', async () => {
    expect(await verdictOf(lines)).toEqual({ organization: 'org_1', from: 0, to: 5, repeated: 0, signedTo: 3 });
    const again = [...lines.slice(0, 3), ...lines.slice(1)];
    expect(await verdictOf(again)).toMatchObject({ repeated: 2, to: 5, signedTo: 3 });
    expect(describeStream('x', await verdictOf(lines))).toContain('places 0 to 5, none missing');
  });

  it('may begin at any place', async () => {
    expect(await verdictOf(lines.slice(2))).toEqual({
      organization: 'org_1',
      from: 2,
      to: 5,
      repeated: 0,
      signedTo: 3,
    });
  });

  it('is not proven without a key, and not valid with another one', async () => {
    expect(await verdictOf(lines, [])).not.toHaveProperty('signedTo');
    const other = generateKeyPairSync('ed25519').privateKey;
    expect((await verdictOf(lines, [other])).fault).toMatchObject({ line: 5 });
  });

  it.each([
    ['a line is missing', () => lines.toSpliced(2, 1), 3, 'place 2 is missing'],
    ['an event was changed', () => lines.with(1, line(1).replace('Name 1', 'Fame 1')), 2, 'place 1 was changed'],
    [
      'what is said of an event was changed',
      () => lines.with(1, line(1).replace('website.updated', 'website.deleted')),
      2,
      'not what its event',
    ],
    ['a line was written by another program', () => lines.with(1, ` ${line(1)}`), 2, 'not written as'],
    [
      'a head was changed',
      () => lines.with(4, line(4).replace('"revision":3', '"revision":2')),
      5,
      'the head was changed',
    ],
    ['lines were swapped', () => lines.with(1, line(2)).with(2, line(1)), 2, 'place 1 is missing'],
    [
      'another history is in its place',
      () => [...linesOf('Other').slice(0, 4), line(4)],
      5,
      'not the one that was signed',
    ],
    [
      'a history goes on as another one',
      () => [...lines.slice(0, 3), ...linesOf('Other').slice(3, 4)],
      4,
      'does not follow',
    ],
  ])('is not valid where %s', async (_, written, at, message) => {
    const { fault } = await verdictOf(written());
    expect(fault).toMatchObject({ line: at, message: expect.stringContaining(message) as string });
  });

  it('is not valid where its end is missing, which a head that was kept names', async () => {
    const { fault } = await verdictOf(
      lines.slice(0, 3),
      [privateKey],
      [signHead(privateKey, 'org_1', places('Name')[4]!, AT)],
    );
    expect(fault).toEqual({ message: 'places 3 to 4 are missing, which a signed head names.' });
    expect((await verdictOf([])).fault?.message).toContain('no event');
  });
});

const AT = new Date('2026-01-01T00:00:00Z');
const { privateKey } = generateKeyPairSync('ed25519');

function links(name: string) {
  let previousHash = GENESIS;
  return Array.from({ length: 6 }, (_, revision) => {
    const event = {
      id: v5(`${name} ${revision}`, '7fef99ea-3046-495a-8482-5ee4979925ed'),
      type: 'WebsiteUpdated',
      stream: 'org_1-website-site_1',
      revision,
      data: { organizationId: 'org_1', websiteId: 'site_1', name: `${name} ${revision}`, before: { name: 'Old' } },
      metadata: { actor: 'usr_1', actorType: 'user', schemaVersion: '2' },
    };
    const chain = { revision, hash: chainHash(event, previousHash), previousHash };
    previousHash = chain.hash;
    return { ...event, chain };
  });
}

const places = (name: string) => links(name).map(({ chain }) => chain);

/** Of six places, the head of the fourth after it. */
function linesOf(name: string): string[] {
  const written = links(name).map((link) => {
    const { action, target } = audited(link, asDecided({ ...link, cursor: '', recordedAt: AT }));
    return streamLine(link, {
      action,
      actor: auditedActor(link.metadata),
      target: { type: target.type, id: target.id },
    });
  });
  return written.toSpliced(4, 0, headLine(signHead(privateKey, 'org_1', places(name)[3]!, AT)));
}

const lines = linesOf('Name');
const line = (at: number): string => lines[at] ?? '';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-stream-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function verdictOf(
  written: readonly string[],
  keys = [privateKey],
  heads: Parameters<typeof verifyStream>[1]['heads'] = [],
) {
  const file = join(folder, 'stream.ndjson');
  writeFileSync(file, written.map((each) => `${each}\n`).join(''));
  return verifyStream(file, { keys: publicKeysOf(...keys), heads });
}
