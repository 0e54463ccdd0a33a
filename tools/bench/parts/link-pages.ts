import { count, ms, type Figure } from '../figure';
import { campaignOf, externalIdOf } from '../installation/many-links';
import { QueryClient } from '../query-client';
import { quantile, repeated, type Effort } from '../statistics';

const WANTED_MS = 25;
const WARM_UP: Effort = { times: 20, atLeast: 1, forMs: 5_000 };
const MEASURED: Effort = { times: 200, atLeast: 20, forMs: 15_000 };

interface Asked {
  readonly what: string;
  /** The filter of a request about the nth of many links. */
  readonly filter: (n: number) => Readonly<Record<string, string>>;
}

const ASKED: readonly Asked[] = [
  { what: 'by externalId', filter: (n) => ({ externalId: externalIdOf(n) }) },
  { what: 'by search, the beginning of few words', filter: (n) => ({ search: `link ${n}` }) },
  { what: 'by search, a word of each hundredth link', filter: (n) => ({ search: `landing ${campaignOf(n)}` }) },
  { what: 'by search, a word of all links', filter: () => ({ search: 'landing' }) },
];

/** P13, the lists: the first page of many links by a filter, each time about another link. */
export async function linkPages(
  apiUrl: string,
  { apiKey, organizationId }: { readonly apiKey: string; readonly organizationId: string },
  links: number,
): Promise<Figure[]> {
  const client = new QueryClient(apiUrl, apiKey);
  const figures: Figure[] = [];
  try {
    for (const { what, filter } of ASKED) {
      const ask = async () => {
        const found = await client.links({ organizationId, ...filter(Math.floor(Math.random() * links)) });
        if (found === 0) throw new Error(`No link is found ${what}.`);
      };
      await repeated(ask, WARM_UP);
      figures.push(figure(what, await repeated(ask, MEASURED), links));
    }
  } finally {
    client.close();
  }
  return figures;
}

function figure(what: string, took: readonly number[], links: number): Figure {
  const p95 = quantile(took, 0.95);
  return {
    id: 'P13',
    what: `A page of the list of ${count(links)} links ${what}`,
    target: `p95 ≤ ${ms(WANTED_MS)}`,
    measured: `p95 ${ms(p95)}, p50 ${ms(quantile(took, 0.5))} (${took.length} runs)`,
    yardstick: '',
    ratio: '',
    isMet: p95 <= WANTED_MS,
  };
}
