import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { count, percent, type Figure } from '../figure';
import type { Part } from './part';

const WANTED_LOG = 80;
const WANTED_MODELS = 400;
const LARGEST = 6;

/** P10: bytes on disk per event, including indexes. */
export const disk: Part = async ({ loaded, print }) => {
  const { installation, events } = await loaded();
  const total = events.large + events.small;
  const pool = openPool({ url: installation.databaseUrl, name: 'bench-disk', max: 1 });
  try {
    const tables = await run<{ schema: string; name: string; bytes: number }>(
      pool,
      sql`select nspname as schema, relname as name, pg_total_relation_size(pg_class.oid)::float8 as bytes
          from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where relkind = 'r' and (nspname = 'public'
            or exists (select from projection_groups g
              where nspname = g.name || '_v' || coalesce(g.tables->relname->>'version', g.live_version::text))) order by 3 desc`,
    );
    const isModel = ({ schema, name }: { schema: string; name: string }) =>
      schema !== 'public' || name === 'dictionary';
    for (const { schema, name, bytes } of tables.filter(isModel).slice(0, LARGEST)) {
      print(`disk: ${schema}.${name} ${(bytes / total).toFixed(1)} B/event`);
    }
    const sum = (chosen: typeof tables) => chosen.reduce((bytes, table) => bytes + table.bytes, 0) / total;
    const log = tables.filter(({ schema, name }) => schema === 'public' && /^intake_/.test(name));
    return [
      figure('Intake log', total, sum(log), WANTED_LOG),
      figure('All read models, with indexes', total, sum(tables.filter(isModel)), WANTED_MODELS),
    ];
  } finally {
    await pool.end();
  }
};

const figure = (what: string, events: number, bytes: number, wanted: number): Figure => ({
  id: 'P10',
  what: `${what}, ${count(events)} events`,
  target: `≤ ${wanted} B/event`,
  measured: `${bytes.toFixed(1)} B/event`,
  yardstick: '',
  ratio: percent(bytes / wanted),
  isMet: bytes <= wanted,
});
