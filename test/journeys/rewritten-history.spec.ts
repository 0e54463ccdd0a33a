import { generateKeyPairSync } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { askReady } from '@test/api/ask-ready';
import { ProjectorModule } from '../../apps/projector/src/projector.module';
import { audit } from '../../scripts/audit/audit';
import { ask } from '../api/ask';
import { readAuditLog } from '../api/audit-log';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';
import { rewriteHistory } from './rewrite-history';

/** Api and projector on a Postgres that something else writes to. */
describe('a history that is rewritten in Postgres, with all its hashes', () => {
  it('is not valid from the changed place on, nor is it or its export signed any more', async () => {
    await renamed('One');
    await untilSealed();
    await renamed('Two', 'Three');
    const before = await untilSealed();
    await rewriteHistory(api.settings.databaseUrl, owner.organizationId, 2);
    expect(await verify()).toMatchObject({
      valid: false,
      signature: null,
      head: before.head,
      firstInvalid: { revision: 2 },
    });
    await renamed('Four');
    await waitUntil(faults, (found) => found.includes(owner.organizationId));
    expect(await verify()).toMatchObject({
      valid: false,
      unsealed: 1,
      head: before.head,
      firstInvalid: { revision: 2 },
    });
    const proofs = (await readAuditLog(api, owner)).map(({ position, proof }) => [position, proof]);
    expect(proofs.filter(([position]) => Number(position) >= 2).every(([, proof]) => proof === 'unproven')).toBe(true);
    expect(proofs.filter(([position]) => Number(position) < 2).every(([, proof]) => proof === 'sealed')).toBe(true);
    await pool.query('create function swallow() returns trigger language plpgsql as $$ begin return null; end $$');
    await pool.query('create trigger swallow before insert on sealing_faults for each row execute function swallow()');
    await pool.query('delete from sealing_faults');
    await waitUntil(faults, (found) => found.includes(owner.organizationId));
    await pool.query('drop trigger swallow on sealing_faults');
    const reason = `Its history is another one than was signed: place ${before.head.revision} has another hash.`;
    await waitUntil(reasons, ([found]) => found === reason); // the api may be the first to find it
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([{ organization: owner.organizationId }]);
  });

  it('lets the histories of others be signed', async () => {
    const verdict = await untilSealed(other);
    await renamed('Five', other);
    expect((await untilSealed(other)).events).toBe(verdict.events + 1);
  });

  it('goes on once an operator has decided so, which stays visible', async () => {
    expect(await reseal('--organization', owner.organizationId)).toMatch(
      /^Places 0 to \d+ of \S+ are sealed as they are now/,
    );
    await renamed('Six');
    expect(await untilSealed()).toMatchObject({ valid: true });
    await waitUntil(faults, (found) => found.length === 0);
    const [, resealed] = await readAuditLog(api, owner);
    expect(resealed).toMatchObject({ action: 'audit_log.resealed', changes: { reason: { after: 'It was us.' } } });
    await expect(reseal('--organization', owner.organizationId)).rejects.toThrow('There is nothing to decide');
  });

  it('is not valid where its newest events are deleted and its head is set back, although nothing was added', async () => {
    const { head } = await untilSealed();
    await renamed('Newest of all', other); // without the event that readers stand on, commands would be refused
    await untilSealed(other);
    await cutBack(owner.organizationId, head.revision - 2);
    await waitUntil(faults, (found) => found.includes(owner.organizationId));
    const reason = `Its history ends at place ${head.revision - 2}; places 0 to ${head.revision} were signed.`;
    await waitUntil(reasons, ([found]) => found === reason);
    const firstInvalid = { revision: head.revision - 1, finding: 'dropped' };
    expect(await verify()).toMatchObject({ valid: false, head, firstInvalid });
  });

  it('is signed for no organization once the newest signed heads are deleted, too: neither now nor after a restart', async () => {
    const newest = await newestStatement();
    await pool.query('delete from head_statements where number > $1', [newest - 2]);
    await renamed('Seven', other);
    await waitUntil(faults, (found) => found.includes('*'));
    const ofAll = () => lines.filter(({ organization }) => organization === '*').length;
    await waitUntil(ofAll, (found) => found === 1); // the api may be the first to find it
    await projector.close();
    projector = await startProjector();
    await renamed('Eight', other);
    await waitUntil(ofAll, (found) => found === 2);
    expect(reasons()[0]).toMatch(
      new RegExp(
        `^The signed statements in the database are not those that were made: statement number ${newest}, as .*signed-heads.json remembers, is missing: they end at number ${newest - 2}\\.`,
      ),
    );
    expect(await newestStatement()).toBe(newest - 2);
  });

  it('is not signed on behind statements of another key, which the database lists', async () => {
    await addForeignStatement();
    await renamed('Nine', other);
    const count = lines.length;
    await waitUntil(
      () => lines.length,
      (now) => now > count,
    );
    const statements = await pool.query('select key_id from head_statements order by number desc limit 1');
    expect(statements.rows).toEqual([{ key_id: 'f'.repeat(16) }]);
  });

  it('is signed for all as it is once an operator has decided so', async () => {
    expect(await reseal('--all')).toBe('The histories of 2 organizations are signed as they are now.\n');
    await waitUntil(faults, (found) => found.length === 0);
    for (const each of [owner, other]) {
      await renamed('Ten', each);
      expect(await untilSealed(each)).toMatchObject({ valid: true });
      expect((await readAuditLog(api, each)).map(({ action }) => action)).toContain('audit_log.resealed');
    }
    await expect(reseal('--all')).rejects.toThrow('There is nothing to decide');
  });
});

interface Verdict {
  readonly valid: boolean;
  readonly events: number;
  readonly unsealed: number;
  readonly head: { readonly revision: number } | null;
}

type Signed = Verdict & { readonly head: NonNullable<Verdict['head']> };

const isSealed = ({ valid, unsealed, head }: Verdict) => valid && unsealed === 0 && head !== null;

const untilSealed = async (who: Owner = owner): Promise<Signed> =>
  (await waitUntil(() => verify(who), isSealed)) as Signed;

const verify = async ({ organizationId, headers }: Owner = owner) =>
  (await ask(api, `GET /v1/audit-log/verify?organizationId=${organizationId}`, { headers })).body as unknown as Verdict;

async function renamed(...args: [...string[], string | Owner]): Promise<void> {
  const last = args.at(-1);
  const { websiteId, headers } = typeof last === 'object' ? last : owner;
  for (const name of args.filter((each) => typeof each === 'string'))
    expect((await ask(api, `PATCH /v1/websites/${websiteId}`, { body: { name }, headers })).status).toBe(200);
}

/** The organizations that health names. */
async function faults(): Promise<string[]> {
  const { body } = await askReady(api);
  return ((body['sealing'] ?? []) as { organization: string }[]).map(({ organization }) => organization);
}

const reasons = () => [lines.findLast(({ level }) => level === 'error')?.reason];

async function cutBack(organization: string, to: number): Promise<void> {
  await pool.query('delete from events where organization = $1 and chain_revision > $2', [organization, to]);
  await pool.query(
    `update organization_chains set revision = $2,
       hash = (select hash from events where organization = $1 and chain_revision = $2) where organization = $1`,
    [organization, to],
  );
  await pool.query(
    `update streams set revision = (select coalesce(max(revision), -1) from events where stream = name) where organization = $1`,
    [organization],
  );
}

const newestStatement = async () =>
  Number((await pool.query<{ max: string }>('select max(number) from head_statements')).rows[0]?.max);

async function addForeignStatement(): Promise<void> {
  const { publicKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ format: 'der', type: 'spki' });
  await pool.query('insert into signing_keys (key_id, public_key) values ($1, $2)', ['f'.repeat(16), der]);
  await pool.query(
    `insert into head_statements (number, previous, heads, signed_at, key_id, signature)
     select number + 1, $1, heads, signed_at, $2, signature from head_statements order by number desc limit 1`,
    ['0'.repeat(64), 'f'.repeat(16)],
  );
}

async function reseal(...which: string[]): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const { databaseUrl, auditSigningKey: signingKey } = api.settings;
  const installation = { databaseUrl, signingKey, isRunning: true, close: () => Promise.resolve() };
  await audit(['reseal', ...which, '--reason', 'It was us.'], { open: () => Promise.resolve(installation), output });
  return String(output.read());
}

function startProjector(): Promise<INestApplicationContext> {
  const logger = createLogger('projector', 'error', { write: (line) => lines.push(JSON.parse(line) as Line) });
  return NestFactory.createApplicationContext(ProjectorModule.with(api.settings, logger), { logger: false });
}

interface Line {
  readonly level: string;
  readonly organization?: string;
  readonly reason?: string;
}

const lines: Line[] = [];
let api: TestApi;
let pool: Pool;
let projector: INestApplicationContext;
let owner: Owner;
let other: Owner;

beforeAll(async () => {
  const limits = { LIMIT_PUBLIC_PER_MINUTE: '100000', LIMIT_API_PER_MINUTE: '100000' };
  api = await startTestApi({ PROJECTOR_METRICS_PORT: String(await freePort()), ...limits });
  pool = openPool({ url: api.settings.databaseUrl, name: 'spec', max: 2 });
  projector = await startProjector();
  owner = await ownerWithWebsite(api);
  other = await ownerWithWebsite(api);
});
afterAll(async () => {
  await projector.close();
  await pool.end();
  await api.close();
});
