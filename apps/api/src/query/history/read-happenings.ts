import { type HappeningKind, happenings } from '@ledgerline/contracts/read-models/registry';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { instant, sql } from '@ledgerline/platform/database/sql';
import { findRegistryTables } from '@ledgerline/platform/registry/stored-registry';
import type { AnnotationRow } from '../types/website/annotations.query-type';

/** Epoch ms, `to` excluded. */
export interface HistoryRange {
  readonly from: number;
  readonly to: number;
}

interface Wanted {
  readonly organizationId: string;
  /** The websites of which each kind is wanted; null = of none, or of all. */
  readonly kinds: readonly { readonly kind: HappeningKind; readonly of: readonly (string | null)[] }[];
  readonly subject: string | undefined;
  readonly span: HistoryRange;
  readonly limit: number;
}

/** Returns what events of the event store are, the newest first; undefined before their table is filled. */
export async function readHappenings(
  on: Queryable,
  { organizationId, kinds, subject, span, limit }: Wanted,
): Promise<AnnotationRow[] | undefined> {
  const wanted = kinds.flatMap(({ kind, of }) => of.map((website) => `${kind} ${website ?? ''}`));
  if (wanted.length === 0) return [];
  const tables = await findRegistryTables(on, [happenings]);
  if (!tables) return undefined;
  const rows = await run<Omit<AnnotationRow, 'at' | 'until'> & { at: Date }>(
    on,
    sql`select id, at, kind, subject, text from ${tables.table(happenings)}
      where organization_id = ${organizationId} and at >= ${instant(span.from)} and at < ${instant(span.to)}
        and concat(kind, ' ', website_id) = any(${wanted}::text[])
        and (${subject ?? null}::text is null or subject = ${subject ?? null})
      order by at desc, id desc limit ${limit}`,
  );
  return rows.map((row) => ({ ...row, at: row.at.getTime(), until: null }));
}
