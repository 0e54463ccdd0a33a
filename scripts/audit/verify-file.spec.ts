import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { v5 } from 'uuid';
import type { JsonObject } from '@ledgerline/contracts/json';
import { chainHash, GENESIS, leaveOut, type SealedLink } from '@ledgerline/platform/event-store/appended-events';
import { headLine, linkLine, readLinkLine } from '@ledgerline/platform/event-store/audit-export';
import type { HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { type SignedHead, publicKeysOf, signHead } from '@ledgerline/platform/event-store/head-statement';
import { describeVerdict, type FileVerdict, isProven, type Known, verifyFile } from './verify-file';

const ORGANIZATION = 'org_1';
const { privateKey } = generateKeyPairSync('ed25519');
const known: Known = { keys: publicKeysOf(privateKey), heads: [] };

/** In place of a change of the website. */
interface Other {
  readonly place: number;
  readonly type: string;
  readonly data: JsonObject;
  readonly occurredAt: string;
}

/** Newest first; the first events are of an early version, whose hash needs their content. */
function historyOf(count: number, early = 2, other?: Other): (HistoryEntry & SealedLink)[] {
  const entries: (HistoryEntry & SealedLink)[] = [];
  let previousHash = GENESIS;
  for (let revision = 0; revision < count; revision += 1) {
    const own = other?.place === revision ? other : undefined;
    const event = {
      id: v5(String(revision), '7fef99ea-3046-495a-8482-5ee4979925ed'),
      type: own?.type ?? 'WebsiteUpdated',
      stream: `${ORGANIZATION}-website-site_1`,
      revision,
      data: own?.data ?? { organizationId: ORGANIZATION, name: `Café \u0000 ${revision}`, before: { name: '\ud800' } },
      metadata: {
        actor: 'usr_1',
        schemaVersion: revision < early ? '1' : '2',
        ...(own ? { occurredAt: own.occurredAt } : {}),
      },
      ...(revision % 2 === 0 ? { sealed: 'AAAA' } : {}),
    };
    const hash = chainHash(event, previousHash);
    entries.push({
      ...event,
      cursor: String(revision),
      recordedAt: new Date(0),
      chain: { revision, hash, previousHash },
    });
    previousHash = hash;
  }
  return entries.reverse();
}

const signed = (history: readonly SealedLink[], key: KeyObject = privateKey): SignedHead =>
  signHead(key, ORGANIZATION, history[0]!.chain, new Date('2026-01-01T00:00:00Z'));

const history = historyOf(12);
/** The line of a place is that of its number from the end. */
const lines = [headLine(signed(history)), ...history.map((entry) => linkLine(entry))];
const lineOf = (place: number) => history.length + 1 - place;
const text = `${lines.join('\n')}\n`;

describe('an export', () => {
  it('is valid as it was written, also without its last line break', async () => {
    for (const written of [text, text.trimEnd()])
      expect(await verdictOf(written)).toMatchObject({ signature: 'valid', shown: 12, leftOut: 0 });
    expect(await wordsOf(text)).toMatch(/^VALID: .*\n {2}organization {2}org_1\n {2}events {8}12; places 0 to 11\n/);
  });

  it.each(['\n', '> ledgerline@1.0.0 audit\n\n', '> Any text\n', `${lines[1]}\n`, '{}\n'])(
    'is refused below what is no part of it: %j',
    async (above) => expect(await wordsOf(`${above}${text}`)).toMatch(/^NOT VALID: FILE, line 1: it /),
  );

  it('shows nothing where each of its lines is a hash', async () => {
    const entries = historyOf(5, 0);
    const hashes = [headLine(signed(entries)), ...entries.map((entry) => linkLine(leaveOut(entry)!))];
    const verdict = await verdictOf(hashes.join('\n'));
    expect([verdict.shown, verdict.fault, isProven(verdict)]).toEqual([0, undefined, false]);
    expect(describeVerdict('FILE', verdict)).toMatch(/^CONSISTENT, BUT NOTHING IS SHOWN: FILE /);
  });

  it('is valid where a filter has left out events', async () => {
    const filtered = [lines[0], ...history.map((entry, n) => linkLine((n % 3 > 0 && leaveOut(entry)) || entry))];
    const verdict = await verdictOf(filtered.join('\n'));
    expect(verdict).toMatchObject({ signature: 'valid', shown: 6, leftOut: 6 });
    expect(verdict.fault).toBeUndefined();
  });

  it('is not valid after any one byte was changed, and the line is named', async () => {
    const bytes = Buffer.from(text);
    const last = bytes.length - 2; // but for the line break at its end
    await fc.assert(
      fc.asyncProperty(fc.nat(last), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= bits;
        const line = bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
        const verdict = await verdictOf(changed);
        expect(verdict.fault?.line).toBe(line);
      }),
      { numRuns: 400, seed: 6 },
    );
  });

  it('is not valid after it was cut off anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(Buffer.byteLength(text) - 2), async (end) => {
        expect(isValid(await verdictOf(Buffer.from(text).subarray(0, end)))).toBe(false);
      }),
      { numRuns: 150, seed: 7 },
    );
    expect(await wordsOf(lines.slice(0, 9))).toContain(
      'at its end: the oldest events are missing, those of places 0 to 3.',
    );
    expect(await wordsOf(lines.slice(0, -1))).toContain('those of place 0.');
    expect(await wordsOf(lines.slice(0, 1))).toContain('those of places 0 to 11.');
  });

  it.each([0, 5, 11])('names an event that was dropped: %i', async (place) => {
    const words = await wordsOf(lines.filter((_, n) => n + 1 !== lineOf(place)));
    if (place > 0) expect(words).toContain(`line ${lineOf(place)}: the event of place ${place} is missing.`);
    else expect(words).toContain('the oldest events are missing, those of place 0.');
  });

  it.each([
    [0, 11],
    [4, 5],
    [2, 8],
  ])('names events that were swapped: %i and %i', async (low, high) => {
    const swapped = [...lines];
    swapped[lineOf(low) - 1] = lines[lineOf(high) - 1]!;
    swapped[lineOf(high) - 1] = lines[lineOf(low) - 1]!;
    const { id } = history[history.length - 1 - high]!;
    expect(await wordsOf(swapped)).toContain(
      `line ${lineOf(low)}: places were swapped: event ${id} stands at place ${low},`,
    );
  });

  it.each([0, 5, 10])('names an event that was inserted: above %i', async (place) => {
    const forged = { ...history[3]!, id: v5('forged', '7fef99ea-3046-495a-8482-5ee4979925ed') };
    const chain = { ...forged.chain, revision: place + 1 };
    const inserted = lines.toSpliced(lineOf(place) - 1, 0, linkLine({ ...forged, chain }));
    expect(isValid(await verdictOf(inserted.join('\n')))).toBe(false);
    expect(await wordsOf(inserted)).toMatch(new RegExp(`line ${lineOf(place)}: .*place ${place + 1}`));
  });

  it('names what was put above the newest event, whatever place it claims', async () => {
    for (const revision of [12, 13, 5_000]) {
      const chain = { revision, hash: '0'.repeat(64), previousHash: history[0]!.chain.hash };
      const forged = linkLine({ ...history[0]!, id: v5('forged', '7fef99ea-3046-495a-8482-5ee4979925ed'), chain });
      expect(await wordsOf(lines.toSpliced(1, 0, forged))).toMatch(/line 2: event \S+ was inserted at place 12\./);
      expect(await wordsOf(lines.toSpliced(1, 0, forged, forged))).toContain('line 2: event ');
    }
  });

  it.each([
    [2, 9],
    [9, 2],
    [0, 6],
  ])('names the copy of an event: of place %i, above place %i', async (copied, place) => {
    const { id } = history[history.length - 1 - copied]!;
    const inserted = lines.toSpliced(lineOf(place) - 1, 0, lines[lineOf(copied) - 1]!);
    expect(await wordsOf(inserted)).toContain(`line ${lineOf(place)}: event ${id} was inserted at place ${place + 1}.`);
  });

  it('names the line that a file ends within', async () =>
    expect(await wordsOf(text.slice(0, text.indexOf(lines[6]!) + 40))).toContain('line 7: the file ends within it'));

  it('names an event that was replaced by another', async () => {
    const forged = linkLine({ ...history[4]!, data: { organizationId: ORGANIZATION, name: 'Forged' } });
    expect(await wordsOf(lines.with(5, forged))).toContain(
      `line 6: place 7 was changed: event ${history[4]!.id} is not what was recorded.`,
    );
  });

  it('is not valid with all hashes computed anew, unless with the key of the installation', async () => {
    const other = generateKeyPairSync('ed25519').privateKey;
    const forgery = [headLine(signed(history, other)), ...lines.slice(1)];
    expect(await wordsOf(forgery)).toMatch(/^NOT VALID: .* is none of the given public keys/);
    const { keyId } = signed(history);
    const pretended = [headLine({ ...signed(history, other), keyId }), ...lines.slice(1)];
    expect(await wordsOf(pretended)).toMatch(
      /^NOT VALID: .*the head was changed, or its signature was not made with key/,
    );
  });

  it('must run through heads that were kept', async () => {
    const kept = signHead(privateKey, ORGANIZATION, history[6]!.chain, new Date(0));
    expect(isValid(await verdictOf(text, [kept]))).toBe(true);
    const rewritten = { ...kept, hash: 'f'.repeat(64) };
    expect(await verdictOf(text, [rewritten])).toMatchObject({ fault: { place: { revision: 5, finding: 'changed' } } });
    const newer = { ...kept, revision: 20 };
    expect(await verdictOf(text, [newer])).toMatchObject({ fault: { place: { revision: 12, finding: 'dropped' } } });
  });

  it('says why a kept head is lost where the history went on from an earlier place', async () => {
    const reason = 'Restored from the backup of 2026-05-04T10:00:00.000Z';
    const restored = historyOf(12, 2, {
      place: 8,
      type: 'AuditLogResealed',
      data: { reason },
      occurredAt: '2026-05-05T00:00:00Z',
    });
    const file = [headLine(signed(restored)), ...restored.map((entry) => linkLine(entry))].join('\n');
    const kept = (revision: number, at: string) =>
      signHead(privateKey, ORGANIZATION, { revision, hash: 'f'.repeat(64) }, new Date(at));
    const why = `Place 8 says why (2026-05-05T00:00:00Z): "${reason}".`;
    for (const revision of [8, 11, 20]) {
      const verdict = await verdictOf(file, [kept(revision, '2026-05-04T12:00:00Z')]);
      expect(describeVerdict('FILE', verdict)).toMatch(/^NOT VALID: FILE, /);
      expect(describeVerdict('FILE', verdict)).toContain(`${why} The head that was kept is of place ${revision} `);
    }
    for (const head of [kept(7, '2026-05-04T12:00:00Z'), kept(9, '2026-05-05T12:00:00Z')])
      expect(describeVerdict('FILE', await verdictOf(file, [head]))).not.toContain('says why');
  });

  it('is consistent, but not proven, without the public key', async () => {
    const verdict = await verifyFile(write(text), { keys: new Map(), heads: [] });
    expect(isValid(verdict)).toBe(true);
    expect(describeVerdict('FILE', verdict)).toMatch(/^CONSISTENT, BUT NOT PROVEN: /);
  });

  it('names the line of a head whose hash was changed, also without the public key', async () => {
    const flipped = { ...signed(history), hash: `${'0'.repeat(63)}1` };
    const changed = [headLine(flipped), ...lines.slice(1)].join('\n');
    expect(describeVerdict('FILE', await verdictOf(changed))).toMatch(
      /^NOT VALID: FILE, line 1: the head was changed, or its signature was not made with key /,
    );
    const unchecked = await verifyFile(write(changed), { keys: new Map(), heads: [] });
    expect(describeVerdict('FILE', unchecked)).toMatch(
      /^NOT VALID: FILE, line 1: the head is not the hash of place 11, which fits in itself: /,
    );
  });

  it('names the newest event where its hash was computed anew below a head with a valid signature', async () => {
    const { chain, ...event } = { ...history[0]!, sealed: 'BBBB' };
    const forged = { ...event, chain: { ...chain, hash: chainHash(event, chain.previousHash) } };
    expect(await wordsOf(lines.with(1, linkLine(forged)))).toContain('line 2: place 11 was changed: ');
  });

  it.each([
    [4, 5],
    [2, 8],
  ])('names events that were exchanged below their places: %i and %i', async (low, high) => {
    const [one, other] = [lines[lineOf(low) - 1]!, lines[lineOf(high) - 1]!].map((line) => readLinkLine(line)!);
    const exchanged = lines
      .with(lineOf(low) - 1, linkLine({ ...other!, chain: one!.chain }))
      .with(lineOf(high) - 1, linkLine({ ...one!, chain: other!.chain }));
    const { id } = history[history.length - 1 - high]!;
    expect(await wordsOf(exchanged)).toContain(`line ${lineOf(low)}: places were swapped: event ${id} stands at`);
  });

  it('is no other file', async () => {
    for (const other of ['', '{}', 'position,occurredAt\r\n', Buffer.from([0xff, 0xfe])])
      expect(describeVerdict('FILE', await verdictOf(other))).toMatch(/^NOT VALID: FILE, line 1: /);
  });
});

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'ledgerline-audit-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function write(written: string | Buffer): string {
  const path = join(folder, 'export.ndjson');
  writeFileSync(path, written);
  return path;
}

const isValid = ({ fault }: FileVerdict): boolean => fault === undefined;

const verdictOf = (written: string | Buffer, heads: readonly SignedHead[] = []) =>
  verifyFile(write(written), { ...known, heads });

const wordsOf = async (written: string | readonly string[]): Promise<string> =>
  describeVerdict('FILE', await verdictOf(typeof written === 'string' ? written : written.join('\n')));
