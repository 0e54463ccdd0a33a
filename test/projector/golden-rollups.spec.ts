import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRollupPart } from '@ledgerline/aggregation/rollup-codec';
import { layoutOf, type RollupRows } from '@ledgerline/aggregation/rollup-part';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { eachKindOf } from '../events/each-kind';
import { openProjectedDatabase } from '../query/projected-database';
import { mergedRollup, keptSums, readKept } from './kept-sums';

const FILE = join(__dirname, 'golden-rollups.json');
const DAYS = 20;
const DAY_MS = 86_400_000;

const UTM = { source: 'news', medium: 'mail', campaign: 'spring', term: 'red', content: 'top' };
const FORM = { formFieldCount: 2, lastFormField: 'mail', deadClickCount: 1, deadClickTarget: 'b', maxScrollDepth: 40 };

/** The events of a visit, of each kind and with something of all that is counted. */
function visit(): readonly ObservedEvent[] {
  const events = eachKindOf('site_1', 'Europe/Berlin');
  const [view, span, click] = ['PageViewed', 'EngagementMeasured', 'OutgoingLinkClicked'].map((type) =>
    events.find((each) => each.type === type)!,
  );
  const next = { ...view, data: { ...view!.data, path: '/next', utm: UTM } } as ObservedEvent;
  const form = { ...span, data: { ...span!.data, span: FORM } } as ObservedEvent;
  const download = { ...click, data: { ...click!.data, linkKind: 'download' } } as ObservedEvent;
  return [
    next,
    ...events,
    { ...download, at: view!.at + 10_000 },
    { ...form, at: view!.at + 20_000 },
    { ...next, at: view!.at + 30_000 },
  ];
}

/** A visit of each day, every other one by the visitor of the day before. */
const log = Array.from({ length: DAYS }, (_, day) =>
  visit().map((event, nth): ObservedEvent => {
    const visitorId = String(Math.ceil(day / 2)).padStart(32, '0');
    const at = event.at + nth + day * DAY_MS;
    const id = encodeEventId(createHash('sha256').update(`${day} ${nth}`).digest().subarray(0, 16));
    return { ...event, id, at, receivedAt: at, data: { ...event.data, visitorId } } as ObservedEvent;
  }),
).flat();

/** The stored form of a rollup: its rows of the first days, and its bytes in each of the two forms of packs. */
interface Golden {
  readonly rows: readonly string[];
  readonly columns: string;
  readonly numbers: string;
}

it('rollups have the bytes that they had when their declarations and operators were the same', async () => {
  const database = await openProjectedDatabase();
  await database.send('site_1', log);
  const stored = await readKept(database.pool, 'websites_v1');
  await database.close();
  const sums = keptSums(stored);
  const found: Record<string, Golden> = {};
  for (const rollup of ROLLUPS) {
    const pack = mergedRollup(rollup, stored);
    const encoded = (from?: number, to?: number) => hashOf(encodeRollupPart(layoutOf(rollup), pack, from, to));
    const rows = daysOf(pack).map((_, row) => encoded(row, row + 1));
    found[rollup.name] = {
      rows: (sums[rollup.name] ?? []).slice(0, 3),
      columns: encoded(),
      numbers: hashOf(Buffer.from(rows.join(' '))),
    };
  }
  if (process.env['UPDATE_GOLDEN']) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
  const golden = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Golden>;
  const changed = Object.keys(found).filter(
    (name) => golden[name] && JSON.stringify(golden[name]) !== JSON.stringify(found[name]),
  );
  if (changed.length > 0)
    throw new Error(
      `The stored values of ${changed.join(', ')} are others although nothing in their declarations changed. ` +
        'Tables that are filled would be read wrongly: raise the version of the operator, row source or figure that ' +
        'changed (VERSIONS in libs/contracts/src/aggregates/aggregate.ts), then run UPDATE_GOLDEN=1 npx jest golden-rollups.\n' +
        changed
          .map((name) => `${name}: ${JSON.stringify(golden[name])}\n  now ${JSON.stringify(found[name])}`)
          .join('\n'),
    );
  expect(Object.entries(found).filter(([, { rows }]) => rows.length === 0)).toEqual([]); // the log has something of each
  expect(Object.keys(golden)).toEqual(Object.keys(found)); // other declarations: UPDATE_GOLDEN=1 npx jest golden-rollups
});

const daysOf = ({ columns }: RollupRows): readonly number[] => [...(columns[0] ?? [])];

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
