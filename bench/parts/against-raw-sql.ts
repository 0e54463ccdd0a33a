import { openPool, run } from '@ledgerline/platform/database/pool';
import type { Pool } from 'pg';
import type { Asker, Question } from '../ask';
import { ms, times, type Figure } from '../figure';
import { piecesOf } from '../fill';
import type { Loaded } from '../loaded';
import { median, timed } from '../statistics';
import { createRawTable, indexRawTable, insertRaw, RAW_QUESTIONS, type RawQuestion } from '../yardsticks/raw-table';
import { lastDays } from './last-days';

const WANTED_FACTOR = 50;
const TIMES = 5;

/** P8: four questions over HTTP, against the same questions in SQL over a table of raw page views. */
export async function againstRawSql(asker: Asker, all: Loaded, say: (line: string) => void): Promise<Figure[]> {
  const { installation, large } = all;
  const pool = openPool({ url: installation.databaseUrl, name: 'bench-raw', max: 1, statementTimeoutMs: 600_000 });
  try {
    say('query: filling a table of raw page views');
    await createRawTable(pool);
    for (const piece of piecesOf(all.plan, all.events.large)) await insertRaw(pool, large.websiteId, piece);
    await indexRawTable(pool);
    const figures: Figure[] = [];
    for (const [name, raw] of Object.entries(RAW_QUESTIONS)) {
      const asked = { subject: `website_id=${large.websiteId}`, types: [name], ...lastDays() };
      figures.push(await compare(asker, pool, asked, raw, large.websiteId));
    }
    return figures;
  } finally {
    await pool.end();
  }
}

async function compare(
  asker: Asker,
  pool: Pool,
  question: Question,
  raw: RawQuestion,
  website: string,
): Promise<Figure> {
  const { startDate, endDate, types } = question;
  const took = { ours: [] as number[], raw: [] as number[] };
  let [answer, rows]: [readonly object[], readonly object[]] = [[], []];
  for (let at = 0; at < TIMES; at++) {
    took.raw.push(await timed(async () => (rows = await run(pool, raw(website, startDate, endDate)))));
    took.ours.push(await timed(async () => (answer = (await asker.ask(question))[0]?.data ?? [])));
  }
  const name = types[0] ?? '';
  refuseDifference(name, answer, rows);
  const factor = median(took.raw) / median(took.ours);
  return {
    id: 'P8',
    what: `${name} with uniques, against counting raw rows`,
    target: `≥ ${WANTED_FACTOR}× faster`,
    measured: ms(median(took.ours)),
    yardstick: `${ms(median(took.raw))} in SQL`,
    ratio: times(factor),
    isMet: factor >= WANTED_FACTOR,
  };
}

/** A fast wrong answer is worth nothing: page views and visitors of the first rows have to be those of the raw rows. */
function refuseDifference(name: string, answer: readonly object[], raw: readonly object[]): void {
  if (name === 'top_referrers') return; // there the raw hosts are counted, not what they belong to
  const figures = (rows: readonly object[]) =>
    rows.slice(0, 10).map((row) => {
      const { pageviews, visitors } = row as { pageviews?: unknown; visitors?: unknown };
      return `${Number(pageviews)}/${Number(visitors)}`;
    });
  const [ours, theirs] = [figures(answer), figures(raw)].map((list) => list.join(' '));
  if (ours !== theirs) throw new Error(`${name} answers ${ours ?? ''}; raw SQL counts ${theirs ?? ''}.`);
}
