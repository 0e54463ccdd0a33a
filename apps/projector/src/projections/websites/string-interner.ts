import { NO_TEXT, WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';

/** A text of a website, or a website's id in WEBSITE_SCOPE. */
export interface ScopedText {
  readonly scope: number;
  readonly text: string;
}

/** The text id of a text of one website; 0 for a missing one. */
export type Intern = (text: string | null | undefined) => number;

/** The id of a text that has none yet; as a scope, of a website that has none yet. */
const PENDING = -1;

/** Looks up the ids of one batch's texts, and collects the texts that are not cached. */
export class StringInterner {
  /** How many lookups found no id. */
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
