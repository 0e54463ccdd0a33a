import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { keyOfClick } from './link.projections';

type Clicks = ReadonlyMap<string, LinkClicked>;

/**
 * Those of these clicks that are neither stored nor in the batch before, each once, by their keys. The intake log stores
 * a click again that is sent again after days.
 */
export async function newClicks(
  on: Queryable,
  schema: string,
  clicks: readonly LinkClicked[],
  unwritten: Clicks = new Map(),
): Promise<Clicks> {
  const found = new Map<string, LinkClicked>();
  for (const click of clicks) {
    const key = Object.values(keyOfClick(click)).join(' ');
    if (!unwritten.has(key) && !found.has(key)) found.set(key, click);
  }
  for (const key of await storedAmong(on, schema, found)) found.delete(key);
  return found;
}

async function storedAmong(on: Queryable, schema: string, clicks: Clicks): Promise<readonly string[]> {
  if (clicks.size === 0) return [];
  const [names, keys] = [[...clicks.keys()], [...clicks.values()].map(keyOfClick)];
  const text = `select place::integer from unnest($1::text[], $2::uuid[], $3::uuid[])
      with ordinality as wanted (link_id, actor, id, place)
    join ${identifier(schema, linkClicks.name).text} using (link_id, actor, id)`;
  const values = [
    binaryArray(
      'text',
      keys.map(({ link_id }) => link_id),
    ),
    binaryArray(
      'uuid',
      keys.map(({ actor }) => actor),
    ),
    binaryArray(
      'uuid',
      keys.map(({ id }) => id),
    ),
  ];
  const rows = await run<{ place: number }>(on, { name: `stored clicks ${schema}`, text, values });
  return rows.flatMap(({ place }) => names[place - 1] ?? []);
}
