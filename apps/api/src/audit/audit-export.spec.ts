import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readHeadLine, readLinkLine } from '@ledgerline/platform/event-store/audit-export';
import type { EventStore, HistoryEntry, HistoryPage, SealedHead } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { signContent, signHead, verifySignedHead } from '@ledgerline/platform/event-store/head-statement';
import { verifyLinks } from '@ledgerline/platform/event-store/verify-chain';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { newKey, ownerWithWebsite, signUp, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE } from '../tokens';
import { SealingWatch } from './sealing-watch';

describe('the export of the audit log', () => {
  it('as NDJSON proves every event up to its own', async () => {
    const owner = await ownerWithWebsite(api);
    await renamed(owner, 'Store');
    const answer = await exported(owner);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="Acme_audit-log.ndjson"; filename*=UTF-8''Acme_audit-log.ndjson`,
    });
    const { head, links, verdict } = await proofOf(answer.text);
    expect(verdict).toEqual({ valid: true, events: 4, unsealed: 0 });
    expect(verifySignedHead(head, await api.app.get(HeadSigner).publicKeys())).toBe('valid');
    expect(typesOf(links)).toEqual(['AuditLogExported', 'WebsiteUpdated', 'WebsiteRegistered', 'OrganizationCreated']);
  });

  it('with a filter has the hashes of what it leaves out', async () => {
    const owner = await ownerWithWebsite(api);
    for (const name of ['Store', 'Market', 'Shop']) await renamed(owner, name);
    const { links, verdict } = await proofOf((await exported(owner, '&action=website.updated')).text);
    expect(verdict).toEqual({ valid: true, events: 6, unsealed: 0 });
    expect(typesOf(links)).toEqual([null, 'WebsiteUpdated', 'WebsiteUpdated', 'WebsiteUpdated', null, null]);
  });

  it('is an entry of the audit log, with its format and its filter', async () => {
    const owner = await ownerWithWebsite(api);
    await exported(owner, '&format=csv&action=website.created&from=2026-01-01T00:00:00%2B02:00');
    const [entry] = await readAuditLog(api, owner);
    expect(entry).toMatchObject({
      action: 'audit_log.exported',
      actor: { type: 'user', id: owner.id },
      target: { type: 'audit_log', id: owner.organizationId },
      changes: {
        format: { before: null, after: 'csv' },
        filter: { before: null, after: { action: 'website.created', from: '2025-12-31T22:00:00.000Z' } },
      },
    });
  });

  it('is not recorded for a request that wants the headers only', async () => {
    const owner = await ownerWithWebsite(api);
    const path = `/v1/audit-log/export?organizationId=${owner.organizationId}`;
    const head = await ask(api, `HEAD ${path}`, owner);
    expect(head.status).toBe(200);
    expect((await readAuditLog(api, owner)).map(({ action }) => action)).not.toContain('audit_log.exported');
    const { headers } = await exported(owner);
    for (const name of ['content-type', 'content-disposition', 'content-length'])
      expect([name, head.headers[name]]).toEqual([name, headers[name]]);
    const stranger = await signUp(api);
    expect((await ask(api, `HEAD ${path}`, stranger)).status).toBe(404);
  });

  it('as CSV has a line for each entry, and nothing that a spreadsheet would run', async () => {
    const owner = await ownerWithWebsite(api);
    await renamed(owner, '=HYPERLINK("http://evil.example")');
    const { headers, text } = await exported(owner, '&format=csv&targetType=website&from=2026-01-02T03:00:00Z');
    expect(headers['content-disposition']).toContain('filename="Acme_audit-log_2026-01-02.csv"');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [header, update, creation, ...rest] = text.split('\r\n');
    expect(header).toBe(
      '\ufeffposition,occurredAt,action,actorType,actorId,actorName,targetType,targetId,targetName,changes,requestId,ip,userAgent,correlationId,id,hash,proof,recordedAt',
    );
    const formula = '=HYPERLINK(""http://evil.example"")';
    expect(update).toContain(`website,${owner.websiteId},"'${formula}","name.before=Shop; name.after=${formula}",`);
    expect(creation).toMatch(
      new RegExp(`^1,[^,]+,website.created,user,${owner.id},Ada,website,${owner.websiteId},Shop,`),
    );
    expect(rest).toEqual(['']);
  });

  it('may be asked for five times a minute', async () => {
    const limited = await startTestApi();
    await limited.signHeads();
    const owner = await ownerWithWebsite(limited);
    const path = `/v1/audit-log/export?organizationId=${owner.organizationId}`;
    for (let n = 4; n >= 0; n -= 1) {
      const { status, headers } = await ask(limited, `GET ${path}`, owner);
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(n)]);
    }
    const refused = await ask(limited, `GET ${path}`, owner);
    expect([refused.status, refused.body.code, refused.headers['x-ratelimit-limit']]).toEqual([
      429,
      'RATE_LIMITED',
      '5',
    ]);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect((await ask(limited, `GET /v1/audit-log?organizationId=${owner.organizationId}`, owner)).status).toBe(200);
    await limited.close();
  });

  it('refuses before the first byte, and then records nothing', async () => {
    const owner = await ownerWithWebsite(api);
    const other = await signUp(api);
    const path = `GET /v1/audit-log/export?organizationId=${owner.organizationId}` as const;
    expect((await ask(api, path, other)).body).toMatchObject({ code: 'NOT_FOUND' });
    expect((await ask(api, `${path}&format=xml`, owner)).body).toMatchObject({ details: [{ field: 'format' }] });
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }) };
    expect((await ask(api, path, { headers })).body).toMatchObject({ code: 'FORBIDDEN' });
    const actions = (await readAuditLog(api, owner)).map(({ action }) => action);
    expect(actions).not.toContain('audit_log.exported');
  });

  describe('of a long history', () => {
    const EVENTS = 12_000;
    const PADDING = 'x'.repeat(5_000);
    let owner: Owner;
    let pagesRead = 0;

    /** A history of this length in which every event has the same content. */
    const readBack = ({ organization, before, limit }: HistoryPage): Promise<HistoryEntry[]> => {
      const start = before === undefined ? EVENTS : Number(before);

      pagesRead += 1;
      const page = Array.from({ length: Math.min(limit, start) }, (_, n) => entryAt(organization, start - 1 - n));
      return Promise.resolve(page);
    };
    const entryAt = (organization: string, revision: number): HistoryEntry => ({
      id: `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`,
      stream: `${organization}-website-site_1`,
      revision,
      type: 'WebsiteUpdated',
      data: { organizationId: organization, name: PADDING },
      metadata: { actor: 'usr_1', schemaVersion: '2', command: commandId },
      cursor: String(revision),
      recordedAt: new Date(0),
      chain: { revision, hash: 'a'.repeat(64), previousHash: 'b'.repeat(64) },
    });
    /** As a seal has it. */
    const sealedHead = (organization: string): SealedHead => {
      const key = api.settings.auditSigningKey;
      const at = new Date();
      const head = { revision: EVENTS - 1, hash: 'a'.repeat(64) };
      return { ...signHead(key, organization, head, at), statement: signContent(key, { organization, ...head }, at) };
    };
    let commandId = '';
    let store: EventStore;

    beforeAll(() => api.app.get(SealingWatch).onApplicationShutdown()); // it reads pages, too
    beforeEach(async () => {
      owner = await ownerWithWebsite(api);
      store = api.app.get<EventStore>(EVENT_STORE);
      const append = store.append.bind(store);
      // own properties, as a spy of jest would keep every page
      Object.assign(store, {
        append: (...args: Parameters<EventStore['append']>) => {
          commandId = args[2][0]!.metadata.command!;
          return append(...args);
        },
        readBack,
        chainHead: (organization: string) => Promise.resolve(sealedHead(organization)),
      });
      pagesRead = 0;
    });
    afterEach(() => {
      for (const name of ['append', 'readBack', 'chainHead']) Reflect.deleteProperty(store, name);
    });

    it('takes no more memory the longer it is', async () => {
      const response = await opened(owner);
      const used: number[] = [];
      let bytes = 0;
      let next = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes < next) continue;
        next += 8_000_000;
        collectGarbage();
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        used.push((heapUsed + arrayBuffers) / 1_000_000);
      }
      expect(bytes).toBeGreaterThan(EVENTS * PADDING.length);
      expect(used.length).toBeGreaterThan(5);
      expect(Math.max(...used.slice(1)) - used[1]!).toBeLessThan(20);
    });

    it('as CSV reads no further than to a page that lies before `from`', async () => {
      const after = '1970-01-01T00:00:00.001Z';
      const all = '1970-01-01T00:00:00Z';
      expect((await exported(owner, `&format=csv&from=${after}`)).text.split('\r\n')).toHaveLength(2);
      expect(pagesRead).toBeLessThan(5);
      const { text } = await exported(owner, `&format=csv&from=${all}&actorId=usr_2`);
      expect(text.split('\r\n')).toHaveLength(2);
      expect(pagesRead).toBeGreaterThan(EVENTS / 200);
    });

    it('reads no further than its client does, and stops when the client has gone', async () => {
      const response = await opened(owner);
      response.pause();
      const whilePaused = await unchanging(() => pagesRead);
      expect(whilePaused).toBeLessThan(EVENTS / 200 / 4);
      response.destroy();
      expect(await unchanging(() => pagesRead)).toBeLessThanOrEqual(whilePaused + 1);
    });
  });
});

/** The value once it has been the same through ten requests that were answered meanwhile. */
async function unchanging(read: () => number): Promise<number> {
  for (let value = read(); ; value = read()) {
    for (let n = 0; n < 10; n += 1) await ask(api, 'GET /health');
    if (read() === value) return value;
  }
}

const renamed = async ({ websiteId, headers }: Owner, name: string): Promise<void> => {
  const { status, text } = await ask(api, `PATCH /v1/websites/${websiteId}`, { body: { name }, headers });
  if (status !== 200) throw new Error(text);
};

async function exported({ organizationId, headers }: Owner, query = '') {
  const answer = await ask(api, `GET /v1/audit-log/export?organizationId=${organizationId}${query}`, { headers });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer;
}

/** The response to a request over the network, whose body is read by the test. */
async function opened({ organizationId, headers }: Owner): Promise<IncomingMessage> {
  const { port } = api.app.getHttpServer().address() as AddressInfo;
  const request = get({ port, path: `/v1/audit-log/export?organizationId=${organizationId}`, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return response;
}

async function proofOf(text: string) {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const head = readHeadLine(first)!;
  const links = lines.map((line) => readLinkLine(line)!);
  return { head, links, verdict: await verifyLinks(links, [head]) };
}

const typesOf = (links: readonly object[]) => links.map((link) => ('type' in link ? link.type : null));

function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
}

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '100000', LIMIT_AUDIT_EXPORT_PER_MINUTE: '1000' });
  await api.signHeads();
});

afterAll(() => api.close());
