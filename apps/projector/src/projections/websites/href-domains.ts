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

  /** The hosts of these hrefs of one website. */
  async resolve(website: number, hrefs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (this.domains.size > REMEMBERED) this.domains.clear();
    const unknown = hrefs.filter((href) => !this.domains.has(href));
    if (unknown.length > 0) await this.learn(website, unknown);
    return new Map(hrefs.map((href) => [href, this.domains.get(href) ?? NO_WORD]));
  }

  forget(): void {
    this.domains.clear();
  }

  private async learn(website: number, hrefs: readonly number[]): Promise<void> {
    const texts = await this.words.texts(hrefs);
    const dictionary = this.words.dictionary();
    const words = wordsOfScope(dictionary, website);
    const noteAll = () => {
      for (const [href, text] of texts) this.note(href, text, words);
    };
    noteAll();
    if (dictionary.misses === 0) return;
    await dictionary.learn();
    noteAll();
  }
}

function hostOf(href: string): string {
  try {
    return new URL(href).hostname;
  } catch {
    return '';
  }
}
