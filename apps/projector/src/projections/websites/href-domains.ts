import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import type { Dictionary } from './dictionary';

const MAX_CACHED = 200_000;

/** The hosts that hrefs lead to, both as text ids: sessions hold the href alone. */
export class HrefDomains {
  /** By href; another one once it was invalidated. */
  private domains = new Map<number, number>();

  constructor(private readonly dictionary: Dictionary) {}

  /** The hosts of these hrefs of one website. */
  async resolve(website: number, wanted: Iterable<number>): Promise<ReadonlyMap<number, number>> {
    const hrefs = [...new Set(wanted)];
    if (this.domains.size > MAX_CACHED) this.invalidateCache();
    const { domains } = this;
    const resolved = new Map<number, number>([[NO_TEXT, NO_TEXT]]);
    for (const href of hrefs) {
      const domain = domains.get(href);
      if (domain !== undefined) resolved.set(href, domain);
    }
    const missing = hrefs.filter((href) => !resolved.has(href));
    if (missing.length === 0) return resolved;
    // TRICKY: while this waits, the cache may be invalidated
    for (const [href, domain] of await this.lookUp(website, missing)) {
      domains.set(href, domain);
      resolved.set(href, domain);
    }
    return resolved;
  }

  invalidateCache(): void {
    this.domains = new Map();
  }

  private async lookUp(website: number, hrefs: readonly number[]): Promise<readonly (readonly [number, number])[]> {
    const texts = await this.dictionary.textsOf(hrefs);
    const lost = hrefs.find((href) => !texts.has(href));
    if (lost !== undefined) throw new RangeError(`The link with the number ${lost} has no text.`);
    return this.dictionary.intern([...texts], ([href, text], strings) => [href, strings.intern(website, hostOf(text))]);
  }
}

function hostOf(href: string): string {
  try {
    return new URL(href).hostname;
  } catch {
    return '';
  }
}
