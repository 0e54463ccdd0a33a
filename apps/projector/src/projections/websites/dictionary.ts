import { NO_WORD, WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/words';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run } from '@ledgerline/platform/database/pool';
import { textHash } from '@ledgerline/platform/database/text';
import type { Pool } from 'pg';

/** About so many texts are cached, twice over: the recent generation and the one before. */
const MAX_CACHED = 250_000;

type Scopes = Map<number, Map<string, number>>;

/** A text of a website, or a website's id in WEBSITE_SCOPE. */
interface ScopedText {
  readonly scope: number;
  readonly text: string;
}

/**
 * Small integers for texts, shared by all versions of the read models. A text is inserted in a statement of its own
 * before the transaction that uses its id, so an id stays valid whether or not that transaction commits.
 */
export class Dictionary {
  private recent: Scopes = new Map();
  private former: Scopes = new Map();
  private size = 0;

  constructor(private readonly pool: Pool) {}

  /** Reads items whose texts get ids; those with texts that are not cached are read again once these have ids. */
  async intern<Item, Result>(
    items: readonly Item[],
    read: (item: Item, strings: StringInterner) => Result,
  ): Promise<Result[]> {
    if (this.size > MAX_CACHED) this.startGeneration();
    const strings = new StringInterner(this);
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

  /** The texts of these ids. */
  async textsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const text = 'select id, word from words where id = any($1::integer[])';
    const rows = await run<{ id: number; word: string }>(this.pool, { text, values: [binaryArray('integer', ids)] });
    return new Map(rows.map(({ id, word }) => [id, word]));
  }

  cachedId(scope: number, text: string): number | undefined {
    const recent = this.recent.get(scope)?.get(text);
    if (recent !== undefined) return recent;
    const former = this.former.get(scope)?.get(text);
    if (former !== undefined) this.cache({ scope, text }, former);
    return former;
  }

  invalidateCache(): void {
    this.startGeneration();
    this.former = new Map();
  }

  private startGeneration(): void {
    this.former = this.recent;
    this.recent = new Map();
    this.size = 0;
  }

  private async assignIds(texts: readonly ScopedText[]): Promise<void> {
    const cleaned = new Map(texts.map(({ scope, text }) => [keyOf(scope, text), { scope, text: clean(text) }]));
    const found = await this.select([...cleaned.values()]);
    const missing = [...cleaned].filter(([key]) => !found.has(key)).map(([, each]) => each);
    if (missing.length > 0) {
      await this.insert(missing);
      for (const [key, id] of await this.select(missing)) found.set(key, id);
    }
    for (const each of texts) {
      const id = found.get(keyOf(each.scope, each.text));
      if (id === undefined) throw new RangeError(`The text "${each.text.slice(0, 80)}" has no id.`);
      this.cache(each, id);
    }
  }

  private async select(texts: readonly ScopedText[]): Promise<Map<string, number>> {
    const text = `select id, scope, replace(hash::text, '-', '') as hash
      from unnest($1::integer[], $2::uuid[]) as wanted (scope, hash) join words using (scope, hash)`;
    const values = columns(texts).slice(0, 2);
    const rows = await run<{ id: number; scope: number; hash: string }>(this.pool, { text, values });
    return new Map(rows.map(({ id, scope, hash }) => [`${scope} ${hash}`, id]));
  }

  private async insert(texts: readonly ScopedText[]): Promise<void> {
    const text = `insert into words (scope, hash, word)
      select scope, hash, word from unnest($1::integer[], $2::uuid[], $3::text[]) as new (scope, hash, word)
      order by scope, hash on conflict do nothing`;
    await run(this.pool, { text, values: columns(texts) });
  }

  private cache({ scope, text }: ScopedText, id: number): void {
    let ids = this.recent.get(scope);
    if (!ids) this.recent.set(scope, (ids = new Map<string, number>()));
    ids.set(text, id);
    this.size++;
  }
}

/** The id of a text that has none yet; as a scope, of a website that has none yet. */
const PENDING = -1;

/** Looks up the ids of one batch's texts, and collects the texts that are not cached. */
export class StringInterner {
  /** How many lookups found no id. */
  misses = 0;
  private readonly missing = new Map<number, Set<string>>();

  constructor(private readonly dictionary: Pick<Dictionary, 'cachedId'>) {}

  website(id: string): number {
    return this.intern(WEBSITE_SCOPE, id);
  }

  intern(scope: number, text: string | null | undefined): number {
    if (!text) return NO_WORD;
    const id = this.dictionary.cachedId(scope, text);
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

/** Postgres takes no NUL in a text. */
const clean = (text: string) => text.replaceAll('\u0000', '');

const keyOf = (scope: number, text: string) => `${scope} ${textHash(clean(text))}`;

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
