import { linkDomains } from '@ledgerline/contracts/read-models/link-domains';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { layoutOf, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import { OUTBOUND_LINKS } from '@ledgerline/domain/counts/website-counts';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { WrittenTables } from '../projections/written-tables';
import { sumByDay, type TableDifference } from './findings';
import { answeringTable } from './live-partition';

/** The count whose rows have the links that were clicked, with their domains. */
export const LINKS_CLICKED = OUTBOUND_LINKS.kept;

const { keys } = layoutOf(LINKS_CLICKED);

/** The links of rows that were clicked, and the domain of each one in these and in its own table; -1 = it has none. */
async function domainsOf(on: Queryable, tables: WrittenTables, { website, columns }: PackRows) {
  const [values, expected] = ['value', 'domain'].map((name) => columns[1 + keys.indexOf(name)] as Numbers);
  const answering = answeringTable(tables, linkDomains);
  if (!answering || !values || !expected) return undefined;
  const text = `select website || ' ' || value as link, domain from ${answering.table}
    where website = any($1::integer[]) and value = any($2::integer[])`;
  const given = [website, values].map((column) => [...new Set(column)]);
  const rows = await run<{ link: string; domain: number }>(on, { text, values: given });
  const stored = new Map(rows.map(({ link, domain }) => [link, domain]));
  const found = Int32Array.from(values, (value, row) => stored.get(`${website[row]} ${value}`) ?? -1);
  return { values, expected, found };
}

/** Of each of these rows the domain that its link has in the table of these. */
export const foundDomains = async (on: Queryable, tables: WrittenTables, clicked: PackRows) =>
  (await domainsOf(on, tables, clicked))?.found;

/** Whether the links that should be in rows have their domains in the table of these. */
export async function compareLinkDomains(
  on: Queryable,
  tables: WrittenTables,
  clicked: PackRows,
): Promise<readonly TableDifference[]> {
  const domains = await domainsOf(on, tables, clicked);
  if (!domains) return [];
  const { values, expected, found } = domains;
  const differing = Array.from(values, (value, row) => {
    const [should, is] = [expected[row], found[row]];
    const counts = { missing: is === -1 ? 1 : 0, extra: 0, changed: is === -1 ? 0 : 1 };
    const rows = { expected: { value, domain: should }, found: is === -1 ? null : { value, domain: is } };
    return { at: clicked.columns[0]?.[row] ?? 0, subject: null, isSame: should === is, ...counts, ...rows };
  });
  return sumByDay(
    linkDomains.name,
    differing.filter(({ isSame }) => !isSame),
    (day) => day,
  );
}
