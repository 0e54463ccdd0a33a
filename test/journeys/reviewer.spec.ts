import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import { readLinkLine } from '@ledgerline/platform/event-store/audit-export';
import type { EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { audit } from '../../scripts/audit/audit';
import { readAuditLog } from '../api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { waitUntil } from '../wait-until';
import { changeEvent, rewriteHistory } from './rewrite-history';
import { EVENTS_OF_A_MONTH, yearOfChanges } from './year-of-changes';

const SERVER = process.env['EVENTSTORE_URL'];
const YEAR = 2025;
/** An organization, its website, the key of the reviewer, and a year. */
const EVENTS = 3 + 12 * EVENTS_OF_A_MONTH;

describe('a reviewer, where decided events are in Postgres', () => review(() => undefined, { isPostgres: true }));

describe('a reviewer, where decided events are in a double of EventStoreDB', () => {
  let double: EventStoreDbDouble;
  beforeAll(async () => (double = await EventStoreDbDouble.start()));
  afterAll(() => double.stop());
  review(() => double.url);
});

if (SERVER !== undefined) describe('a reviewer, where decided events are in EventStoreDB', () => review(() => SERVER));
else it.skip('a reviewer on a real EventStoreDB: SKIPPED, as EVENTSTORE_URL names no server', () => undefined);

/** Tests what a reviewer does with one organization's year, in this order. */
function review(server: () => string | undefined, { isPostgres = false } = {}): void {
  let api: TestApi;
  let sealer: EventStore | undefined;
  let owner: Owner;
  let folder: string;
  let headers: Record<string, string>;

  const file = (name: string) => join(folder, name);
  const download = async (path: string, name: string): Promise<string> => {
    const url = `${await api.app.getUrl()}/v1/audit-log${path}organizationId=${owner.organizationId}`;
    const response = await fetch(url, { headers });
    if (!response.ok || !response.body) throw new Error(await response.text());
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file(name)));
    return file(name);
  };
  const run = async (...args: string[]): Promise<{ code: number; said: string }> => {
    const output = new PassThrough();
    const said = text(output);
    const { databaseUrl, auditSigningKey: signingKey } = api.settings;
    const close = () => Promise.resolve();
    const installation = { databaseUrl, eventStoreUrl: server(), signingKey, isRunning: true, close };
    const code = await audit(args, { open: () => Promise.resolve(installation), output });
    output.end();
    return { code, said: await said };
  };
  const verify = (path: string, ...more: string[]) =>
    run('verify', path, '--public-key', file('keys.pem'), '--head', file('verify.json'), ...more);

  beforeAll(async () => {
    const chosen = {
      EVENT_STORE: server() === undefined ? 'postgres' : 'eventstoredb',
      EVENTSTORE_URL: server() ?? '',
    };
    const names = ['API', 'AUDIT_EXPORT', 'FAILED_AUTH'];
    const limits = Object.fromEntries(names.map((name) => [`LIMIT_${name}_PER_MINUTE`, '100000']));
    api = await startTestApi({ ...chosen, ...limits });
    const { databaseUrl, eventStoreUrl, auditSigningKey: key } = api.settings;
    if (eventStoreUrl === undefined) await api.signHeads();
    else sealer = await openEventStore({ databaseUrl, eventStoreUrl }, { key });
    folder = mkdtempSync(join(tmpdir(), 'ledgerline-reviewer-'));
    owner = await ownerWithWebsite(api);
    headers = { 'x-api-key': await newKey(api, owner, { name: 'Reviewer', scopes: ['read:audit'] }) };
    await yearOfChanges(api, owner, YEAR);
  });
  afterAll(async () => {
    await sealer?.close();
    await api.close();
    rmSync(folder, { recursive: true });
  });

  it('reads what was changed in a month, by whom', async () => {
    const reader = { organizationId: owner.organizationId, headers };
    const entries = await readAuditLog(api, reader, { from: `${YEAR}-06-01T00:00:00Z`, to: `${YEAR}-07-01T00:00:00Z` });
    expect(entries).toHaveLength(EVENTS_OF_A_MONTH);
    expect(new Set(entries.map(({ occurredAt }) => occurredAt.slice(0, 7)))).toEqual(new Set([`${YEAR}-06`]));
    expect(entries.filter(({ action }) => action === 'api_key.rotated')).toHaveLength(1);
    expect(entries.filter(({ actor }) => actor.id === owner.id).every(({ actor }) => actor.name === 'Ada')).toBe(true);
  });

  it('keeps the public keys and a signed head', async () => {
    const { code, said } = await run('public-keys');
    writeFileSync(file('keys.pem'), said);
    expect([code, said]).toEqual([0, expect.stringMatching(/^-----BEGIN PUBLIC KEY-----/)]);
    await eventuallyValid(() => download('/verify?', 'verify.json'), EVENTS);
  });

  it('exports the history and verifies it without the service', async () => {
    const { code, said } = await verify(await download('/export?', 'export.ndjson'));
    expect(said).toMatch(/^VALID: .*export.ndjson is the history that was signed/);
    expect(said).toContain(`events        ${EVENTS + 1}; places 0 to ${EVENTS}`);
    expect(code).toBe(0);
  });

  it('verifies an export of some events, and one that the operator made', async () => {
    const rotations = await verify(await download('/export?action=api_key.rotated&', 'rotated.ndjson'));
    expect(rotations.said).toMatch(/^VALID: /);
    expect(rotations.said).toContain(`events        12, ${EVENTS - 10} left out by a filter`);
    const { said } = await run('export', '--organization', owner.organizationId);
    writeFileSync(file('operator.ndjson'), said);
    expect((await verify(file('operator.ndjson'))).said).toContain(`places 0 to ${EVENTS + 2}`);
    const [own, ...earlier] = linesOf('operator.ndjson').slice(1);
    expect(own).toContain('"actor":"system"');
    expect(earlier.slice(1)).toEqual(linesOf('export.ndjson').slice(1));
  });

  const linesOf = (name: string): string[] => readFileSync(file(name), 'utf8').trimEnd().split('\n');
  const verdictOn = async (lines: readonly string[]) => {
    writeFileSync(file('changed.ndjson'), `${lines.join('\n')}\n`);
    return verify(file('changed.ndjson'));
  };
  const idAt = (line: string) => (readLinkLine(line) as unknown as HistoryEntry).id;

  it('is told which line was changed by one byte', async () => {
    const lines = linesOf('export.ndjson');
    for (const at of [2, 57, EVENTS]) {
      const line = lines[at]!;
      const changed = line.replace(
        /"commandType":"(.)/,
        (_, letter: string) => `"commandType":"${letter === 'X' ? 'Y' : 'X'}`,
      );
      expect(changed).not.toBe(line);
      const { code, said } = await verdictOn(lines.with(at, changed));
      expect(said).toMatch(
        new RegExp(
          `^NOT VALID: .*changed.ndjson, line ${at + 1}: place ${EVENTS + 1 - at} was changed: event ${idAt(line)}`,
        ),
      );
      expect(code).toBe(2);
    }
  });

  it('is told which event was dropped, swapped or inserted, and where the file was cut off', async () => {
    const lines = linesOf('export.ndjson');
    const dropped = await verdictOn(lines.toSpliced(20, 1));
    expect(dropped.said).toContain(`line 21: the event of place ${EVENTS - 19} is missing.`);
    const swapped = await verdictOn(lines.with(30, lines[31]!).with(31, lines[30]!));
    expect(swapped.said).toContain(
      `line 32: places were swapped: event ${idAt(lines[30]!)} stands at place ${EVENTS - 30}`,
    );
    const inserted = await verdictOn(lines.toSpliced(40, 0, lines[60]!));
    expect(inserted.said).toMatch(/^NOT VALID: /);
    const cut = await verdictOn(lines.slice(0, 60));
    expect(cut.said).toContain(`the oldest events are missing, those of places 0 to ${EVENTS + 1 - 60}.`);
    expect([dropped, swapped, inserted, cut].map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  });

  it('can verify the history of somebody whose personal data was erased', async () => {
    const pool = openPool({ url: api.settings.databaseUrl, name: 'spec', max: 1 });
    const keys = new SubjectKeys(pool, api.settings.keyPepper);
    await keys.destroy(owner.organizationId, await keys.idsOf(owner.organizationId, owner.id));
    await pool.end();
    const entries = await readAuditLog(api, { organizationId: owner.organizationId, headers }, { actorId: owner.id });
    expect(new Set(entries.map(({ actor, ip }) => `${actor.name} ${ip}`))).toEqual(new Set(['null null']));
    expect((await verify(await download('/export?', 'erased.ndjson'))).code).toBe(0);
  });

  if (isPostgres) {
    it('is told by the service, and by the head that was kept, that all hashes were computed anew', async () => {
      await rewriteHistory(api.settings.databaseUrl, owner.organizationId, 50);
      expect(await verdictOfService()).toMatchObject({ valid: false, signature: null });
      const rewritten = await download('/export?', 'rewritten.ndjson');
      expect((await run('verify', rewritten, '--public-key', file('keys.pem'))).code).toBe(2);
      const { code, said } = await verify(rewritten);
      expect(said).toMatch(new RegExp(`^NOT VALID: .* place ${EVENTS - 1} was changed: `));
      expect(code).toBe(2);
    });

    it('is told by the service itself which event was changed in the database', async () => {
      await changeEvent(api.settings.databaseUrl, owner.organizationId, 20);
      expect(await verdictOfService()).toMatchObject({
        valid: false,
        signature: null,
        firstInvalid: { revision: 20, finding: 'changed' },
      });
      const { code, said } = await verify(await download('/export?', 'damaged.ndjson'));
      expect([code, said]).toEqual([2, expect.stringContaining(': place 20 was changed: event ')]);
    });
  }

  const verdictOfService = async (): Promise<unknown> =>
    JSON.parse(readFileSync(await download('/verify?', 'now.json'), 'utf8'));

  async function eventuallyValid(ask: () => Promise<string>, events: number): Promise<void> {
    const look = async () => JSON.parse(readFileSync(await ask(), 'utf8')) as { valid: boolean; events: number };
    // the year of changes has passed at once, so events that are not sealed yet look as if they never were
    const verdict = await waitUntil(look, (seen) => seen.events === events);
    expect(verdict.valid).toBe(true);
  }
}
