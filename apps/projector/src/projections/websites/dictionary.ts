import type { Pool } from 'pg';
import { NO_TEXT, WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, textHash, withoutNul } from '@ledgerline/platform/database/sql';

/** About so many texts are cached; beyond that the cache starts anew. */
const MAX_CACHED = 100_000;

/**
 * Small integers for texts, shared by all versions of the read models. A text is inserted in a statement of its own
 * before the transaction that uses its id, so an id stays valid whether or not that transaction commits. An erasure
 * deletes texts that no hit has any more: with the revision of the checkpoint, so that no batch is written that has one.
 */
export class Dictionary {
  /** The texts that were read and are not the texts of their hashes, by id; `text` is that of the log. */
  readonly changed = new Map<number, ChangedText>();
  /** True if these get the texts of the log. */
  mends = false;
  /** By scope and text; another one once it was invalidated. */
  private cache: TextCache = { ids: new Map(), size: 0 };
  /** The ids that were looked up since `collectUsed`. */
  private used: Set<number> | undefined;

  constructor(private readonly pool: Pool) {}

  /** Reads items whose texts get ids; those with texts that are not cached are read again once these have ids. */
  async intern<Item, Result>(
    items: readonly Item[],
    read: (item: Item, strings: StringInterner) => Result,
  ): Promise<Result[]> {
    if (this.cache.size > MAX_CACHED) this.invalidateCache();
    const strings = new StringInterner((scope, text) => {
      const id = this.cache.ids.get(scope)?.get(text);
      if (id !== undefined) this.used?.add(id);
      return id;
    });
    const results: Result[] = [];
    let waiting = [...items.entries()];
    while (waiting.length > 0) {
      const again: typeof waiting = [];
      for (const [place, item] of waiting) {
        const before = strings.misses;
        results[place] = read(item, strings);
        if (strings.misses > before) again.push([place, item]);
      }
      if (again.length > 0) await this.assignIds(strings.takeMissing());
      waiting = again;
    }
    return results;
  }

  /** The texts of these ids; of those that were changed, as the log has them. */
  async textsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const text = 'select id, text from dictionary where id = any($1::integer[])';
    const rows = await run<{ id: number; text: string }>(this.pool, { text, values: [binaryArray('integer', ids)] });
    return new Map(rows.map(({ id, text: stored }) => [id, this.changed.get(id)?.text ?? stored]));
  }

  /** From here on, texts that were changed are noted anew, and mended or not. */
  noteChanged({ mends }: { readonly mends: boolean }): void {
    this.invalidateCache(); // with what was read before
    this.changed.clear();
    this.mends = mends;
  }

  invalidateCache(): void {
    this.cache = { ids: new Map(), size: 0 };
  }

  /** Collects the ids that are looked up while work goes on: at least those that it looks up itself. */
  async collectUsed<T>(work: (used: ReadonlySet<number>) => Promise<T>): Promise<T> {
    const used = new Set<number>();
    this.used = used;
    try {
      return await work(used);
    } finally {
      this.used = undefined;
    }
  }

  private async assignIds(texts: readonly ScopedText[]): Promise<void> {
    const { cache } = this; // TRICKY: once it is invalidated, what was selected before is of no use
    const cleaned = new Map(texts.map(({ scope, text }) => [keyOf(scope, text), { scope, text: withoutNul(text) }]));
    const found = await this.select([...cleaned.values()]);
    const missing = [...cleaned].filter(([key]) => !found.has(key)).map(([, each]) => each);
    if (missing.length > 0) {
      await this.insert(missing);
      for (const [key, id] of await this.select(missing)) found.set(key, id);
    }
    for (const each of texts) {
      const id = found.get(keyOf(each.scope, each.text));
      if (id === undefined) throw new RangeError(`The text "${each.text.slice(0, 80)}" has no id.`);
      const ids = cache.ids.get(each.scope) ?? new Map<string, number>();
      cache.ids.set(each.scope, ids.set(each.text, id));
      cache.size++;
    }
  }

  private async select(texts: readonly ScopedText[]): Promise<Map<string, number>> {
    const text = `select id, scope, replace(hash::text, '-', '') as hash, wanted.text,
        case when stored.text <> wanted.text then stored.text end as found
      from unnest($1::integer[], $2::uuid[], $3::text[]) as wanted (scope, hash, text)
      join dictionary stored using (scope, hash)`;
    type Row = ChangedText & { hash: string; found: string | null };
    const rows = await run<Row>(this.pool, { text, values: columns(texts) });
    const changed = rows.filter(({ found }) => found !== null);
    for (const { id, scope, text: logged, found } of changed) this.changed.set(id, { id, scope, text: logged, found });
    if (changed.length > 0 && this.mends) await this.mend(changed);
    return new Map(rows.map(({ id, scope, hash }) => [`${scope} ${hash}`, id]));
  }

  private async mend(changed: readonly ChangedText[]): Promise<void> {
    const text = `update dictionary d set text = logged.text
      from unnest($1::integer[], $2::text[]) as logged (id, text) where d.id = logged.id`;
    const ids = changed.map(({ id }) => id);
    const logged = changed.map((each) => each.text ?? '');
    await run(this.pool, { text, values: [binaryArray('integer', ids), binaryArray('text', logged)] });
  }

  private async insert(texts: readonly ScopedText[]): Promise<void> {
    const text = `insert into dictionary (scope, hash, text)
      select scope, hash, text from unnest($1::integer[], $2::uuid[], $3::text[]) as new (scope, hash, text)
      order by scope, hash on conflict do nothing`;
    await run(this.pool, { text, values: columns(texts) });
  }
}

interface TextCache {
  readonly ids: Map<number, Map<string, number>>;
  size: number;
}

const keyOf = (scope: number, text: string) => `${scope} ${textHash(withoutNul(text))}`;

const columns = (texts: readonly ScopedText[]): Buffer[] => [
  binaryArray(
    'integer',
    texts.map(({ scope }) => scope),
  ),
  binaryArray(
    'uuid',
    texts.map(({ text }) => textHash(text)),
  ),
  binaryArray(
    'text',
    texts.map(({ text }) => text),
  ),
];

/** A text of a website, or a website's id in WEBSITE_SCOPE. */
interface ScopedText {
  readonly scope: number;
  readonly text: string;
}

/** The text id of a text of one website; 0 for a missing one. */
export type Intern = (text: string | null | undefined) => number;

/** The id of a text that has none yet; as a scope, of a website that has none yet. */
const PENDING = -1;

/** Looks up the ids of one batch's texts, and collects the texts that are not cached. */
export class StringInterner {
  /** The number of lookups that found no id. */
  misses = 0;
  private readonly missing = new Map<number, Set<string>>();

  constructor(private readonly cachedId: (scope: number, text: string) => number | undefined) {}

  website(id: string): number {
    return this.intern(WEBSITE_SCOPE, id);
  }

  intern(scope: number, text: string | null | undefined): number {
    if (!text) return NO_TEXT;
    const id = this.cachedId(scope, text);
    if (id !== undefined) return id;
    this.misses++;
    if (scope !== PENDING) this.missing.set(scope, (this.missing.get(scope) ?? new Set()).add(text));
    return PENDING;
  }

  /** The texts without an id since the last call. */
  takeMissing(): readonly ScopedText[] {
    const missing = [...this.missing].flatMap(([scope, texts]) => [...texts].map((text) => ({ scope, text })));
    this.missing.clear();
    return missing;
  }
}

/** A row of the dictionary whose text is not that of its hash. */
export interface ChangedText {
  readonly id: number;
  readonly scope: number;
  /** In the log; null = not read in it. */
  readonly text: string | null;
  /** In the dictionary. */
  readonly found: string | null;
}

/** The condition that a text is not that of its hash. */
const isChanged = sql`hash <> encode(substring(sha256(convert_to(text, 'UTF8')) for 16), 'hex')::uuid`;

/** The texts of a website, and its own id, that are not those of their hashes; null = of all. */
export function findChangedTexts(on: Queryable, website: number | null): Promise<readonly ChangedText[]> {
  return run<ChangedText>(
    on,
    sql`select id, scope, null as text, text as found from dictionary
      where ${isChanged} and (${website}::integer is null or scope = ${website} or (scope = ${WEBSITE_SCOPE} and id = ${website}))
      order by id`,
  );
}

/** Deletes the texts of a website that are not those of their hashes, and ids of its own that have another hash. */
export const deleteChangedTexts = (
  on: Queryable,
  { website, websiteId }: { readonly website: number; readonly websiteId: string },
): Promise<readonly ChangedText[]> =>
  run<ChangedText>(
    on,
    sql`delete from dictionary where ${isChanged}
        and (scope = ${website} or (scope = ${WEBSITE_SCOPE} and text = ${websiteId}))
      returning id, scope, null as text, text as found`,
  );

/** Deletes the texts of a website but for those of these ids. */
export const deleteUnusedTexts = (on: Queryable, website: number, used: ReadonlySet<number>): Promise<unknown> =>
  run(
    on,
    sql`delete from dictionary d where scope = ${website}
        and not exists (select from unnest(${binaryArray('integer', [...used])}::integer[]) as used (id) where used.id = d.id)`,
  );

/** The text id of a website, whatever its text is by now; undefined = it has none. */
export async function findWebsite(on: Queryable, websiteId: string): Promise<number | undefined> {
  const [row] = await run<{ id: number }>(
    on,
    sql`select id from dictionary where scope = ${WEBSITE_SCOPE} and hash = ${textHash(websiteId)}::uuid`,
  );
  return row?.id;
}

/** The ids of all websites by their text ids. */
export async function readWebsiteTexts(on: Queryable): Promise<ReadonlyMap<number, string>> {
  const rows = await run<{ id: number; text: string }>(
    on,
    sql`select id, text from dictionary where scope = ${WEBSITE_SCOPE}`,
  );
  return new Map(rows.map(({ id, text }) => [id, text]));
}
