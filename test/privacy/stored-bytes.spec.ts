import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { INTAKE_LOG } from '../../apps/tracker/src/tokens';
import { projectInto } from '../query/projected-database';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { waitUntil } from '../wait-until';
import { placesOf, storedInFiles, storedInTables, type Stored } from './stored-bytes';
import { ADDRESSES, BOT, everyHit, PERSON, PERSONAL, pixelOf } from './visitors';

describe('the bytes that are stored of visitors whose identity is daily', () => {
  let tracker: RunningTracker;
  let tables: Stored[];
  let files: Stored[];

  beforeAll(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true', LOG_LEVEL: 'trace' });
    await tracker.registerWebsite('site_1', { visitorIdentity: 'daily' });
    await tracker.createLink('link_1', { slug: 'scanned' });
    const key = await tracker.createKey('key_1');
    for (const address of Object.values(ADDRESSES)) {
      await sendEverything({ 'user-agent': PERSON, 'x-forwarded-for': address }, address);
      await sendEverything({ 'user-agent': BOT, 'x-forwarded-for': address }, `bot ${address}`);
      await sendEverything({ 'user-agent': PERSON, 'x-forwarded-for': address, 'x-api-key': key }, `key ${address}`);
      await follow(address, PERSON);
      await follow(address, BOT);
    }
    await waitUntil(async () => (await tracker.recorded()).filter(({ type }) => type === 'LinkClicked').length === 2);
    await leaveClicksOnDisk();
    const projector = await projectInto(tracker.settings.databaseUrl, []);
    await projector.catchUp();
    await projector.close();
    tables = await storedInTables(tracker.settings.databaseUrl);
    files = await storedInFiles(tracker.settings.dataDir);
  });
  afterAll(() => tracker.stop());

  async function sendEverything(headers: Readonly<Record<string, string>>, name: string): Promise<void> {
    for (const [url, payload] of everyHit('site_1', name)) {
      const { statusCode } = await tracker.app.inject({ method: 'POST', url, headers, payload });
      expect([url, [200, 204].includes(statusCode)]).toEqual([url, true]);
    }
    await tracker.app.inject({ url: pixelOf('site_1'), headers });
  }

  const follow = (address: string, userAgent: string) =>
    tracker.app.inject({
      url: '/scanned?utm_source=scan',
      headers: { 'user-agent': userAgent, 'x-forwarded-for': address },
    });

  /** As while the log is down. */
  async function leaveClicksOnDisk(): Promise<void> {
    expect(tracker.app.get(LinkLookup).cached('scanned')).toBeDefined();
    jest.spyOn(tracker.app.get<IntakeLog>(INTAKE_LOG), 'send').mockRejectedValue(new LogUnavailable('away'));
    for (const address of Object.values(ADDRESSES)) await follow(address, PERSON);
    await waitUntil(async () => placesOf(await storedInFiles(tracker.settings.dataDir), ['LinkClicked']).length > 0);
  }

  it('hold every event that was sent, and what is known of bots', async () => {
    const types = new Set((await tracker.recorded()).map(({ type }) => type));
    expect([...types].sort()).toEqual([
      ...[
        'CustomEventTracked',
        'EngagementMeasured',
        'ErrorRecorded',
        'HitJudgedBot',
        'LinkClicked',
        'OutgoingLinkClicked',
      ],
      ...['PageLeft', 'PageViewed', 'VisitorIdentified', 'VitalMeasured'],
    ]);
    const found = placesOf(tables, ['/scanned-page', 'scanned event', 'scanned error', BOT, 'London']);
    for (const text of ['/scanned-page', 'scanned event', 'scanned error', BOT, 'London'])
      expect(found).toContain(`${text} in public.intake_segments`);
    expect(found).toContain('/scanned-page in public.dictionary');
    expect(placesOf(files, ['"LinkClicked"', 'London'])).toHaveLength(2);
  });

  it.each(['tables', 'files'])('hold no address, no user agent of a person and no id of a client (%s)', (where) => {
    expect(placesOf(where === 'tables' ? tables : files, PERSONAL)).toEqual([]);
  });

  it('are all there is: log lines hold none of it either', () => {
    expect(placesOf([{ place: 'log', text: tracker.lines.join('\n') }], PERSONAL)).toEqual([]);
  });
});
