import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { piecesOf, planFor, fill } from '../../tools/bench/fill';
import { root, untilAnswer } from '../journeys/product';
import { Installation } from './installation';
import { Stream } from './stream';
import { newTenant, rowsOf, type Tenant } from './tenant';

/** Enough for threads. */
const EVENTS = 60_000;

/** Where each rebuild is killed: after the stage whose end it has told; undefined = soon after its start. */
const KILLED_AFTER = [undefined, 'reading', 'writing', 'sealing'] as const;

jest.setTimeout(600_000);

describe('a rebuild that is killed, beside writers and readers', () => {
  let place: Installation;
  let tenant: Tenant;
  let stream: Stream;

  beforeAll(async () => {
    place = await Installation.open({ api: 1, tracker: 1, projector: 1 });
    tenant = await newTenant(place.url('api'));
    const { organizationId, websiteId, linkId } = tenant;
    const about = {
      organizationId,
      websiteId,
      linkId,
      domain: 'example.com',
      zone: 'UTC',
      identity: 'stable' as const,
    };
    const log = await openIntakeLog({ databaseUrl: place.databaseUrl });
    const sent = await fill(log, [about], piecesOf(planFor(EVENTS), EVENTS));
    await log.close();
    expect(sent).toBeGreaterThanOrEqual(EVENTS);
    stream = new Stream([place.url('tracker')], tenant, 7);
    await untilAnswer(
      () => rowsOf(place.url('api'), tenant, 'top_pages', 'website'), // of today
      (rows) => rows.length > 0,
    );
  });
  afterAll(async () => {
    await stream.stop();
    await place.close();
  });

  it('begins again whatever it was doing, leaves no file, and ends with equal tables; no answer fails or is empty', async () => {
    const reading = new AbortController();
    const wrong: unknown[] = [];
    const readers = readUntil(reading.signal, wrong);
    for (const after of KILLED_AFTER) await rebuild(after);
    const printed = await rebuild('never');
    reading.abort();
    const answers = await readers;
    expect(printed).toMatch(/websites now uses version \d+ \(equal row for row/);
    for (const table of ['sessions', 'custom_events', 'vitals', 'engagement_spans', 'website_rollups'])
      expect(printed).toMatch(new RegExp(`${table}\\s*│\\s*[\\d,]+\\s*│\\s*0\\s*│`));
    expect({ wrong, unexpected: stream.unexpected }).toEqual({ wrong: [], unexpected: [] });
    expect(answers).toBeGreaterThan(20);
    expect(filesLeft()).toEqual([]);
  });

  it('that is stopped by SIGINT leaves nothing', async () => {
    const printed = await rebuild('reading', 'SIGINT');
    expect(printed).toContain('It was stopped; nothing was changed.');
    expect(filesLeft()).toEqual([]);
    const listed = await run('list');
    expect(listed).not.toMatch(/pending|being filled/);
  });

  const filesLeft = () => readdirSync(place.folder).filter((name) => name.startsWith('rebuild-'));

  const run = (...words: string[]) => rebuildWith(words, 'never', 'SIGKILL');
  const rebuild = (after: string | undefined, signal: NodeJS.Signals = 'SIGKILL') =>
    rebuildWith(['rebuild', 'websites'], after, signal);

  /** Runs the command, and kills it after a stage; answers what it has printed. */
  async function rebuildWith(words: readonly string[], after: string | undefined, signal: NodeJS.Signals) {
    const env = { ...process.env, DATABASE_URL: place.databaseUrl, DATA_DIR: place.folder };
    const child = spawn(process.execPath, [join(root, 'dist/scripts/projections.js'), ...words], { env });
    let printed = '';
    const onData = (data: Buffer) => {
      printed += data.toString();
      if (!child.killed && after !== undefined && printed.includes(`websites: ${after}:`)) child.kill(signal);
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
      child.once('close', (code, by) => resolve(by ?? code)),
    );
    if (after === undefined) void sleep(1_500).then(() => child.kill(signal));
    const how = await ended;
    if (after === 'never') expect([how, printed]).toEqual([0, printed]);
    else if (signal === 'SIGKILL') expect([how, printed]).toEqual(['SIGKILL', printed]);
    return printed;
  }

  async function readUntil(over: AbortSignal, wrong: unknown[]): Promise<number> {
    let answers = 0;
    for (; !over.aborted; answers++) {
      const rows = await rowsOf(place.url('api'), tenant, 'top_pages', 'website').catch((error: unknown) => error);
      if (!Array.isArray(rows) || rows.length === 0) wrong.push(rows);
      await sleep(100);
    }
    return answers;
  }
});
