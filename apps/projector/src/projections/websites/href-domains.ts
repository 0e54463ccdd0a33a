import { NO_WORD } from '@ledgerline/contracts/read-models/words';
import { wordsOfScope, type WebsiteWords } from './read-hit';
import type { Words } from './words';

const REMEMBERED = 200_000;

/** Which host an href leads to, both as word ids: sessions keep the href alone. */
export class HrefDomains {
  private readonly domains = new Map<number, number>();

  constructor(private readonly words: Words) {}

  /** Notes the host of an href as far as both have numbers already. */
  note(href: number, text: string, words: WebsiteWords): void {
    const domain = words.word(hostOf(text));
    if (href > 0 && domain >= 0) this.domains.set(href, domain);
  }

  /** The hosts of these hrefs of one website, of all of them. */
  async resolve(website: number, hrefs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (this.domains.size > REMEMBERED) this.domains.clear();
    const resolved = new Map<number, number>([[NO_WORD, NO_WORD]]);
    for (const href of hrefs) {
      const domain = this.domains.get(href);
      if (domain !== undefined) resolved.set(href, domain);
    }
    const unknown = hrefs.filter((href) => !resolved.has(href));
    if (unknown.length === 0) return resolved;
    // TRICKY: while this waits, another partition may have everything forgotten that is remembered here
    for (const [href, domain] of await this.learn(website, unknown)) {
      this.domains.set(href, domain);
      resolved.set(href, domain);
    }
    return resolved;
  }

  forget(): void {
    this.domains.clear();
  }

  private async learn(website: number, hrefs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const texts = await this.words.texts(hrefs);
    const lost = hrefs.find((href) => !texts.has(href));
    if (lost !== undefined) throw new RangeError(`The link with the number ${lost} has no text.`);
    const dictionary = this.words.dictionary();
    const { word } = wordsOfScope(dictionary, website);
    for (;;) {
      const before = dictionary.misses;
      const learnt = new Map([...texts].map(([href, text]) => [href, word(hostOf(text))]));
      if (dictionary.misses === before) return learnt;
      await dictionary.learn();
    }
  }
}

function hostOf(href: string): string {
  try {
    return new URL(href).hostname;
  } catch {
    return '';
  }
}
