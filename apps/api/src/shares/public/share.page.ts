import type { RequestAnswer } from '../../query/execution/response';
import { html, type Html } from '../../http/html';

/** What a preview of a link says; without figures where they could not be read. */
export interface SharePreview {
  /** Of the website. */
  readonly name: string;
  readonly figures?: { readonly visitors: number; readonly pageviews: number; readonly days: string };
}

const NAME = 'Ledgerline';
const NOT_SHARED = 'There are no statistics at this address, or not any more.';

/** The page of the console with what programs without scripts read of it: its title, and the figures of its range. */
export function sharePage(consolePage: string, preview: SharePreview | 'locked' | 'absent'): string {
  const { title, sentence } = textsOf(preview);
  const head = html`<title>${title}</title>
    <meta name="description" content="${sentence}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${NAME}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${sentence}" />
    <meta name="twitter:card" content="summary" />`;
  return consolePage
    .replace(/<title>[^<]*<\/title>/, () => head.markup)
    .replace(/<noscript>[^]*<\/noscript>/, () => withoutScripts(title, sentence).markup);
}

const withoutScripts = (title: string, sentence: string): Html =>
  html`<noscript>
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p>The charts need JavaScript.</p>
  </noscript>`;

const count = new Intl.NumberFormat('en');
const counted = (number: number, one: string, many: string): string =>
  `${count.format(number)} ${number === 1 ? one : many}`;

function textsOf(preview: SharePreview | 'locked' | 'absent'): { readonly title: string; readonly sentence: string } {
  if (preview === 'locked') return { title: 'Shared statistics', sentence: 'A password is needed to see them.' };
  if (preview === 'absent') return { title: 'Not shared', sentence: NOT_SHARED };
  const { name, figures } = preview;
  if (!figures) return { title: name, sentence: `Statistics of ${name}.` };
  const [visitors, views] = [
    counted(figures.visitors, 'visitor', 'visitors'),
    counted(figures.pageviews, 'page view', 'page views'),
  ];
  return { title: `${name}: ${visitors}`, sentence: `${visitors} and ${views} of ${name}, ${figures.days}.` };
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The figures of an answer to `summary_metrics`; undefined where that failed. */
export function figuresIn({ data: [entry], meta }: RequestAnswer): SharePreview['figures'] | undefined {
  const row = entry?.success ? entry.data[0] : undefined;
  if (!row) return undefined;
  const days = DAY.formatRange(new Date(meta.startDate), new Date(meta.endDate));
  return { visitors: Number(row['unique_visitors']), pageviews: Number(row['pageviews']), days };
}
