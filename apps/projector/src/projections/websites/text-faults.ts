import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';

/** A row of the dictionary whose text is not that of its hash. */
export interface ChangedText {
  readonly id: number;
  readonly scope: number;
  /** In the log; null = not read in it. */
  readonly text: string | null;
  /** In the dictionary. */
  readonly found: string | null;
}

/** The website to which it belongs, or whose own id it is. */
export const websiteOfText = ({ id, scope }: ChangedText): number => (scope === WEBSITE_SCOPE ? id : scope);

/** Hits whose `text`, and whose `extra`, is a text id. */
const WITH_TEXT: ReadonlySet<number> = new Set([HIT.view, HIT.custom, HIT.outgoing, HIT.error, HIT.vital]);
const WITH_EXTRA: ReadonlySet<number> = new Set([HIT.outgoing, HIT.error]);

/** The text ids of a hit; some may be NO_TEXT. */
export const textsOfHit = ({ kind, path, text, extra }: SessionHit): readonly number[] => [
  path,
  ...(WITH_TEXT.has(kind) ? [text] : []),
  ...(WITH_EXTRA.has(kind) ? [extra] : []),
];

/** The texts of these websites, and their own ids, that are not those of their hashes; null = of all. */
export function findChangedTexts(on: Queryable, websites: readonly number[] | null): Promise<readonly ChangedText[]> {
  return run<ChangedText>(
    on,
    sql`select id, scope, null as text, text as found from dictionary
      where hash <> encode(substring(sha256(convert_to(text, 'UTF8')) for 16), 'hex')::uuid
        and (${websites}::integer[] is null or scope = any(${websites}::integer[])
          or (scope = ${WEBSITE_SCOPE} and id = any(${websites}::integer[])))
      order by id`,
  );
}

/** Those of these ids under which a website has no text. */
export async function findMissingTexts(
  on: Queryable,
  website: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await run<{ id: number }>(
    on,
    sql`select each.id from unnest(${ids}::integer[]) as each (id)
      where not exists (select from dictionary d where d.id = each.id and d.scope = ${website})`,
  );
  return new Set(rows.map(({ id }) => id));
}
