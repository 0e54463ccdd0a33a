import { NO_WORD, WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/words';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run } from '@ledgerline/platform/database/pool';
import { wordHash } from '@ledgerline/platform/database/word-hash';
import type { Pool } from 'pg';

/** About so many words are kept in memory, twice over: those of lately, and those of before. */
const REMEMBERED = 250_000;

type Scopes = Map<number, Map<string, number>>;

/**
 * Small integers for strings, shared by all versions of the read models. A word is written in a statement of its own
 * before the transaction that uses it, so a number once given out stays true whatever becomes of that transaction.
 */
export class Words {
  private recent: Scopes = new Map();
  private former: Scopes = new Map();
  private size = 0;

  constructor(private readonly pool: Pool) {}

  /** For one batch; words are neither forgotten nor lost while it lasts. */
  dictionary(): Dictionary {
    if (this.size > REMEMBERED) this.forget();
    return new Dictionary(this);
  }

  /** Needed after the database was gone: it may have lost what it had promised. */
  forget(everything = false): void {
    this.former = everything ? new Map<number, Map<string, number>>() : this.recent;
    this.recent = new Map();
    this.size = 0;
  }

  find(scope: number, word: string): number | undefined {
    const known = this.recent.get(scope)?.get(word);
    if (known !== undefined) return known;
    const before = this.former.get(scope)?.get(word);
    if (before !== undefined) this.remember(scope, word, before);
    return before;
  }

  /** Gives every one of these a number, old or new. */
  async learn(wanted: readonly Wanted[]): Promise<void> {
    const byPlace = new Map(wanted.map(({ scope, word }) => [place(scope, word), { scope, word: cleaned(word) }]));
    const found = await this.select([...byPlace.values()]);
    const missing = [...byPlace].filter(([at]) => !found.has(at)).map(([, each]) => each);
    if (missing.length > 0) {
      await this.insert(missing);
      for (const [at, id] of await this.select(missing)) found.set(at, id);
    }
    for (const { scope, word } of wanted) {
      const id = found.get(place(scope, word));
      if (id === undefined) throw new RangeError(`The word "${word.slice(0, 80)}" has no number.`);
      this.remember(scope, word, id);
    }
  }

  /** The texts of these words. */
  async texts(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const text = 'select id, word from words where id = any($1::integer[])';
    const rows = await run<{ id: number; word: string }>(this.pool, { text, values: [binaryArray('integer', ids)] });
    return new Map(rows.map(({ id, word }) => [id, word]));
  }

  private async select(wanted: readonly Wanted[]): Promise<Map<string, number>> {
    const text = `select id, scope, replace(hash::text, '-', '') as hash
      from unnest($1::integer[], $2::uuid[]) as wanted (scope, hash) join words using (scope, hash)`;
    const values = columns(wanted).slice(0, 2);
    const rows = await run<{ id: number; scope: number; hash: string }>(this.pool, { text, values });
    return new Map(rows.map(({ id, scope, hash }) => [`${scope} ${hash}`, id]));
  }

  private async insert(missing: readonly Wanted[]): Promise<void> {
    const text = `insert into words (scope, hash, word)
      select scope, hash, word from unnest($1::integer[], $2::uuid[], $3::text[]) as new (scope, hash, word)
      order by scope, hash on conflict do nothing`;
    await run(this.pool, { text, values: columns(missing) });
  }

  private remember(scope: number, word: string, id: number): void {
    let words = this.recent.get(scope);
    if (!words) this.recent.set(scope, (words = new Map<string, number>()));
    words.set(word, id);
    this.size++;
  }
}

interface Wanted {
  readonly scope: number;
  readonly word: string;
}

/** Stands for a word that has no number yet. */
const NOT_YET = -1;

/** Looks words up for one batch, and notes those it has yet to learn. */
export class Dictionary {
  /** How many words looked up so far had no number yet. */
  misses = 0;
  private readonly wanted = new Map<number, Set<string>>();

  constructor(private readonly words: Words) {}

  website(id: string): number {
    return this.word(WEBSITE_SCOPE, id);
  }

  word(scope: number, word: string | null | undefined): number {
    if (!word) return NO_WORD;
    const id = this.words.find(scope, word);
    if (id !== undefined) return id;
    this.misses++;
    if (scope !== NOT_YET) this.want(scope, word);
    return NOT_YET;
  }

  /** Afterwards those words have numbers; they want to be looked up again. */
  async learn(): Promise<void> {
    const wanted = [...this.wanted].flatMap(([scope, words]) => [...words].map((word) => ({ scope, word })));
    this.wanted.clear();
    await this.words.learn(wanted);
  }

  private want(scope: number, word: string): void {
    const words = this.wanted.get(scope);
    if (words) words.add(word);
    else this.wanted.set(scope, new Set([word]));
  }
}

/** Postgres takes no NUL in a text. */
const cleaned = (word: string) => word.replaceAll('\u0000', '');

const place = (scope: number, word: string) => `${scope} ${wordHash(cleaned(word))}`;

const columns = (words: readonly Wanted[]): Buffer[] => [
  binaryArray(
    'integer',
    words.map(({ scope }) => scope),
  ),
  binaryArray(
    'uuid',
    words.map(({ word }) => wordHash(word)),
  ),
  binaryArray(
    'text',
    words.map(({ word }) => word),
  ),
];
