import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IdFilter } from '@ledgerline/contracts/attributes';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent, VisitorIdentified } from '@ledgerline/contracts/events/observed-events';
import { happeningOf } from '@ledgerline/domain/goals/happening';
import { addDays, dayOf } from '@ledgerline/domain/time/zones';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { ProfileKey, ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { roundEstimates } from '../../apps/api/src/query/declaration/fields';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import type { ParameterResult } from '../../apps/api/src/query/execution/response';
import { CATALOGUE, queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import type { AnnotationRow } from '../../apps/api/src/query/types/website/annotations.query-type';
import { arrivals } from '../../tools/traffic/arrivals';
import type { Plan } from '../../tools/traffic/calendar';
import { observe, type Subjects } from '../../tools/traffic/observe';
import { monitorCheck } from '../monitors/random-checks';
import { finding } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { anchorsOf, root, targetsOf } from './documents';
import { queryTypesDocument, type Example } from './query-types';

/** Not kept: `npm run query-types` writes it. */
const FILE = join('dist', 'query-types.md');

describe('the page of query types', () => {
  it('has a section for every type, to which its index links', () => {
    const text = queryTypesDocument(CATALOGUE, (type) => examples.get(type.name)!);
    const document = { path: FILE, text };
    if (process.env['UPDATE_DOCS']) {
      mkdirSync(join(root, dirname(FILE)), { recursive: true });
      writeFileSync(join(root, FILE), text);
    }
    const linked = targetsOf(document).flatMap(({ heading }) => heading ?? []);
    expect(linked.sort()).toEqual(CATALOGUE.map(({ name }) => name).sort());
    expect(anchorsOf(document)).toEqual(expect.arrayContaining(linked));
  });

  it('has an example for every type, which shows all of its fields', () => {
    const shown = [...examples].map(([name, [first = {}]]) => [name, Object.keys(first).sort()]);
    expect(shown).toEqual(CATALOGUE.map(({ name, fields }) => [name, Object.keys(fields).sort()]));
  });
});

const PLAN: Plan = { seed: 7, end: Date.parse('2026-03-29T14:00:00Z'), days: 7, visitors: 1_300, visits: 3_000 };
const SUBJECTS: Subjects = {
  organizationId: 'org_example',
  websiteId: 'site_example',
  linkId: 'link_example',
  domain: 'example.com',
  zone: 'UTC',
  identity: 'stable',
};

const MONITOR = 'mon_example';

/** Rows that are shown: of lists inside lists only one. */
const SHOWN = 3;

const examples = new Map<string, Example>();
let database: ProjectedDatabase;
let now: number;

beforeAll(async () => {
  database = await openProjectedDatabase();
  const events = [...arrivals(PLAN)].flat().map((arrival) => observe(arrival, SUBJECTS));
  const views = events.filter(({ type }) => type === 'PageViewed').map(({ at }) => at);
  now = Math.max(...views) + 1_000;
  const past = events.filter(({ at }) => at <= now);
  const clicks = past.filter(isClick);
  const hits = past.filter((event) => !isClick(event));
  await database.send(SUBJECTS.websiteId, hits, 5_000);
  await database.send(SUBJECTS.linkId, clicks, 5_000);
  await database.send(MONITOR, checks(), 5_000);
  await identifyNewestVisitor();
  for (const type of CATALOGUE) examples.set(type.name, await exampleOf(type));
}, 120_000);
afterAll(() => database.close());

/** One every five minutes; down for half an hour on one of the days. */
const checks = () =>
  Array.from({ length: 6 * 288 }, (_, n) => {
    const at = now - (6 * 288 - n) * 300_000;
    const up = n < 1_000 || n > 1_006;
    return monitorCheck(MONITOR, at, { up, durationMs: 120 + ((n * 7919) % 100), intervalSeconds: 300 });
  });

const isClick = ({ type }: ObservedEvent) => type === 'LinkClicked';

async function exampleOf(type: QueryType): Promise<Example> {
  if (type.sources.own) return history().map((found) => type.row(found));
  const filters = await Promise.all(type.takes.ids.map(async (field) => filterOn(field)));
  const shown = Object.values(type.fields).some(({ type: kind }) => kind === 'array') ? 1 : SHOWN;
  const limit = type.shape === 'totals' ? {} : { limit: shown };
  return (await ask(type, filters, limit)).rows;
}

/** A deploy, a change of a link, and a downtime. */
function history(): AnnotationRow[] {
  const at = now - 24 * 3_600_000;
  const data = { linkId: SUBJECTS.linkId, organizationId: SUBJECTS.organizationId, name: 'Poster' };
  const addresses = { targetUrl: 'https://example.com/new', before: { targetUrl: 'https://example.com/old' } };
  const changed = happeningOf({ type: 'LinkUpdated', data: { ...data, ...addresses } } as DecidedEvent)!;
  const down = { kind: 'monitor_down', text: 'Monitor Shop went down', subject: MONITOR } as const;
  const noted = { kind: 'deploy', text: 'Version 2.1', subject: SUBJECTS.websiteId } as const;
  return [
    { ...noted, at, until: null, id: 'note_example' },
    { ...changed, at: at + 60_000, until: null, id: '8f4c1a52-6b0e-5d0f-9c1e-3f0a7d2b9e11' },
    { ...down, at: at + 120_000, until: at + 720_000, id: `${MONITOR}_monitor_down_${at + 120_000}` },
  ];
}

async function ask(
  type: QueryType,
  filters: readonly IdValue[],
  limit: { limit?: number } = {},
): Promise<ParameterResult> {
  const subject = { website: SUBJECTS.websiteId, link: SUBJECTS.linkId, monitor: MONITOR }[type.about];
  const today = dayOf(now, 'UTC');
  const range = { startDate: addDays(today, -6), endDate: today, timezone: 'UTC', granularity: 'daily' as const };
  const asked = { about: type.about, id: subject, ownZone: 'UTC', ...range, ...limit, filters, now };
  const { rows, ...found } = await (await finding(database.pool, asked))(type);
  return { ...found, rows: await roundEstimates(type, rows) };
}

type IdValue = { readonly field: IdFilter; readonly op: 'eq'; readonly value: string };

/** The newest session, or the visitor it is of. */
async function filterOn(field: IdFilter): Promise<IdValue> {
  const { rows } = await ask(queryTypeNamed('session_list')!, []);
  return { field, op: 'eq', value: rows[0]![field] as string };
}

async function identifyNewestVisitor(): Promise<void> {
  const { value: visitorId } = await filterOn('visitor_id');
  const source = await openDataSource({ url: database.url, name: 'spec', max: 1, entities: [ProfileKey] });
  const key = await new ProfileKeys(source).obtain(SUBJECTS.websiteId, 'user-42');
  await source.destroy();
  const { organizationId, websiteId, zone, identity } = SUBJECTS;
  const stamp = { organizationId, websiteId, zone, identity, visitorId, sessionId: null };
  const data = { ...stamp, ...sealProfile(key, 'user-42', { name: 'Ada Lovelace', plan: 'pro' }) };
  const id = encodeEventId(Buffer.alloc(16, 1));
  const event: VisitorIdentified = { type: 'VisitorIdentified', id, at: now, receivedAt: now, data };
  await database.send(websiteId, [event]);
}
