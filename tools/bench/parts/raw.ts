import type { Pool } from 'pg';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { count, ms, times, type Figure } from '../figure';
import { piecesOf } from '../fill';
import { lastDays } from '../fill';
import type { Loaded } from '../loaded';
import { QueryClient, type Query } from '../query-client';
import { median, repeated, timed, type Effort } from '../statistics';
import { throttled } from '../throttled';
import {
  createRawTable,
  dropRawTable,
  indexRawTable,
  insertRaw,
  RAW_QUERIES,
  type RawQuery,
} from '../yardsticks/raw-table';
import type { BenchContext, Part } from './part';

const WANTED_FACTOR = 50;
/** Plain SQL over ten million rows is slow. */
const RUNS: Effort = { times: 5, atLeast: 2, forMs: 20_000 };

/** P8 and P20: queries over HTTP, compared with the same queries in SQL over a table of raw page views. */
export const raw: Part = async ({ loaded, print, detail }) => {
  const all = await loaded();
  const { installation, large } = all;
  const api = await installation.start('api');
  const client = new QueryClient(api.url, installation.registered.apiKey);
  const pool = openPool({ url: installation.databaseUrl, name: 'bench-raw', max: 1, statementTimeoutMs: 600_000 });
  try {
    print('query: filling a table of raw page views');
    await fillRawTable(pool, all, print);
    const comparisons: Comparison[] = [];
    for (const [name, rawQuery] of Object.entries(RAW_QUERIES)) {
      const types = [{ name, ...rawQuery.options }] as const;
      const asked = { subject: `website_id=${large.websiteId}`, types, ...lastDays(all.plan) };
      const comparison = await compare(client, pool, asked, rawQuery, large.websiteId);
      print(`query: ${name}: ${ms(comparison.ours)}, raw rows ${ms(comparison.raw)} (medians of ${comparison.runs})`);
      comparisons.push(comparison);
      detail('againstRawSql', comparisons);
    }
    return comparisons.map(figure);
  } finally {
    await dropRawTable(pool);
    await pool.end();
    client.close();
    await api.stop();
  }
};

async function fillRawTable(pool: Pool, { plan, events, large }: Loaded, print: BenchContext['print']): Promise<void> {
  const tell = throttled((read: number) =>
    print(`query: ${count(read)} of ${count(events.large)} events are raw rows`),
  );
  await createRawTable(pool);
  let read = 0;
  let previous: Promise<void> = Promise.resolve();
  for (const piece of piecesOf(plan, events.large)) {
    await previous; // one piece is being written while the next is made
    previous = insertRaw(pool, large.websiteId, piece);
    previous.catch(() => undefined); // it is awaited above or below
    tell((read += piece.length));
  }
  await previous;
  await indexRawTable(pool);
}

/** Medians, ms. */
interface Comparison {
  readonly name: string;
  readonly ours: number;
  readonly raw: number;
  readonly runs: number;
}

async function compare(
  client: QueryClient,
  pool: Pool,
  question: Query & { readonly types: readonly [{ readonly name: string }] },
  raw: RawQuery,
  website: string,
): Promise<Comparison> {
  const { startDate, endDate, types } = question;
  const ours: number[] = [];
  const plain: number[] = [];
  let answer: readonly object[] = [];
  let rows: readonly object[] = [];
  const inTurns = async () => {
    plain.push(await timed(async () => (rows = await run(pool, raw.sql(website, startDate, endDate)))));
    ours.push(await timed(async () => (answer = (await client.ask(question))[0]?.data ?? [])));
  };
  await repeated(inTurns, RUNS);
  const [{ name }] = types;
  refuseDifference(name, raw, answer, rows);
  return { name, ours: median(ours), raw: median(plain), runs: ours.length };
}

function figure({ name, ours, raw, runs }: Comparison): Figure {
  const factor = raw / ours;
  return {
    id: name === 'funnel' || name === 'retention' ? 'P20' : 'P8',
    what: `${name}, against counting raw rows; ${runs} runs of each`,
    target: `≥ ${WANTED_FACTOR}× faster`,
    measured: ms(ours),
    yardstick: `${ms(raw)} in SQL`,
    ratio: times(factor),
    isMet: factor >= WANTED_FACTOR,
  };
}

/** A fast wrong answer is worth nothing: figures of the first rows have to be those of the raw rows. */
function refuseDifference(
  name: string,
  { equal, rows }: RawQuery,
  answer: readonly object[],
  raw: readonly object[],
): void {
  const figures = (all: readonly object[]) =>
    all
      .slice(0, rows)
      .map((row) => equal.map((field) => Number((row as Record<string, unknown>)[field])).join('/'))
      .join(' ');
  const ours = figures(answer);
  const theirs = figures(raw);
  if (ours !== theirs) throw new Error(`${name} answers ${ours}; raw SQL counts ${theirs}.`);
}
