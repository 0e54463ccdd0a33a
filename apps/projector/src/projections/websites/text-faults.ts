import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { textHash, withoutNul } from '@ledgerline/platform/database/text';

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
export const textsOfHit = ({
  kind,
  path,
  text,
  extra,
}: Pick<SessionHit, 'kind' | 'path' | 'text' | 'extra'>): readonly number[] => [
  path,
  ...(WITH_TEXT.has(kind) ? [text] : []),
  ...(WITH_EXTRA.has(kind) ? [extra] : []),
];

/** 16 bits of the hash of a text; 0 of a missing one. */
export const shortHash = (text: string | null | undefined): number =>
  text ? Number.parseInt(textHash(withoutNul(text)).slice(0, 4), 16) : 0;

/**
 * By what the hash of a text of a hit is multiplied in the sum of a day, where two that were swapped show: its instant
 * and place in {@link textsOfHit}. Small, so that sums of 10^8 texts are exact.
 */
export const weightOf = (at: number, place: number): number => 1 + ((at + 307 * place) % 1_021);

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

/** The {@link shortHash} of each of these ids under which a website has a text. */
export async function readTextHashes(
  on: Queryable,
  website: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await run<{ id: number; hash: number }>(
    on,
    sql`select id, ('x' || substr(hash::text, 1, 4))::bit(16)::integer as hash from dictionary
      where id = any(${ids}::integer[]) and scope = ${website}`,
  );
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}
