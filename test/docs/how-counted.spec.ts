import { aggregate } from '@ledgerline/aggregation/aggregation';
import { RollupDeltas } from '@ledgerline/aggregation/batch-deltas';
import { evaluatePlan } from '@ledgerline/aggregation/plan-nodes';
import { encodeRollupPart } from '@ledgerline/aggregation/rollup-codec';
import { layoutOf, mergeRollupRows, type RollupRows } from '@ledgerline/aggregation/rollup-part';
import { AGGREGATES, rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { sessionOf, type Session } from '@ledgerline/contracts/sessions/session';
import { calendarOf } from '@ledgerline/domain/time/zones';
import { selectedSessions, someRequest } from '@test/query/selected-sessions';
import { documentAt, sectionOf } from './documents';

const DAY_MS = 86_400_000;
const PAGES = ['', '/', '/pricing'];
const ROLLUP = rollupNamed('pages');
const BATCHES = ['A', 'B'];

/** Views, parts and rows of the answer, as the page has them. */
const [views = [], parts = [], answer = []] = sectionOf(documentAt('ARCHITECTURE.md').text, 'How a number is counted')
  .split(/\n(?!\|)/)
  .map((block) => block.split('\n').slice(3).map(cellsOf))
  .filter((rows) => rows.length > 0);

describe('the page on how a number is counted', () => {
  const [a, b] = BATCHES.map(partOf) as [RollupRows, RollupRows];

  it('has eight views', () => expect(views).toHaveLength(8));

  it('has the parts that its views add up to', () => expect([...rowsOf('A', a), ...rowsOf('B', b)]).toEqual(parts));

  it('has the answer that follows from them, before and after compaction', () => {
    const merged = mergeRollupRows(ROLLUP, [a, b]);
    for (const some of [[a, b], [merged]]) expect(answerFrom(some)).toEqual(answer);
  });
});

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** A session of each visitor and day. */
function sessionsOf(visitor: string, batches: readonly string[]): Session[] {
  const own = views.filter(([batch = '', name]) => batches.includes(batch) && name === visitor);
  return [...new Set(own.map(([, , day]) => Number(day)))].map((day) => {
    const hits = own
      .filter(([, , of]) => Number(of) === day)
      .map(([, , , page = ''], nth) => ({
        at: day * DAY_MS + nth,
        id: `${day}${nth}`.padStart(32, '0'),
        kind: HIT.view,
        path: PAGES.indexOf(page),
        hostname: 0,
        values: [0],
        from: 0,
      }));
    return sessionOf(`${visitor} ${day}`, SESSION_KIND.client, hits, undefined);
  });
}

/** Returns what a batch changes after those before it. */
function partOf(batch: string): RollupRows {
  const deltas = new RollupDeltas();
  const before = BATCHES.slice(0, BATCHES.indexOf(batch));
  for (const visitor of new Set(views.map(([, name = '']) => name))) {
    const of = { website: 1, visitor, calendar: calendarOf('UTC') };
    deltas.addVisitor(of, {
      added: sessionsOf(visitor, [batch]),
      removed: [],
      staying: sessionsOf(visitor, before),
    });
  }
  return [...deltas.parts([ROLLUP])].map(([, rows]) => rows)[0]!;
}

/** By day and page. */
function rowsOf(batch: string, { size, columns }: RollupRows): string[][] {
  const { measures } = layoutOf(ROLLUP);
  const firstOf = (what: string) => measures.find(({ stored }) => stored.what === what)!.first;
  const days = columns[0]!;
  const pages = columns[1]!;
  const counts = columns[firstOf('sum')]!;
  const [lengths, ago, visitors] = [0, 1, 2].map((nth) => columns[firstOf('visitors') + nth]!);
  let entry = 0;
  const rows = Array.from({ length: size }, (_, row) => {
    const entries: [number, number][] = [];
    for (const end = entry + lengths![row]!; entry < end; entry++) entries.push([ago![entry]!, visitors![entry]!]);
    const texts = entries.sort(([x], [y]) => x - y).map(([before, count]) => `${agoText(before)}: ${count}`);
    return [batch, String(days[row]), PAGES[pages[row]!]!, String(counts[row]), texts.join(', ')];
  });
  return rows.sort(
    ([, day = '', page = ''], [, other = '', than = '']) => Number(day) - Number(other) || (page < than ? -1 : 1),
  );
}

const agoText = (days: number): string => (days === 0 ? 'never' : days === 1 ? '1 day ago' : `${days} days ago`);

/** Answers about days 2 and 3. */
function answerFrom(some: readonly RollupRows[]): string[][] {
  const rollups = { since: 2, until: 3, packsOf: () => some.map((rows) => encodeRollupPart(layoutOf(ROLLUP), rows)) };
  const scope = { sessions: selectedSessions([]), request: someRequest(), lookup: [], conditions: [], rollups };
  const { size, columns } = evaluatePlan(aggregate(AGGREGATES.pages), scope);
  const rows = Array.from({ length: size }, (_, row) => [
    PAGES[columns['value']![row]!]!,
    ...[columns['pageviews'], columns['visitors']].map((column) => String(column![row])),
  ]);
  return rows.sort(([page = ''], [than = '']) => (page < than ? -1 : 1));
}
