import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isbot } from 'isbot';

/** One page view of an access log, read by a few lines that share nothing with the import. */
interface NaiveView {
  readonly who: string;
  readonly at: number;
  readonly path: string;
  /** Host of the referrer; '' = direct or the website itself. */
  readonly referrer: string;
  readonly campaign: string;
}

const OWN = 'semicomplete.com';
const GAP = 30 * 60_000;
/** The file types of this log that are no pages. */
const NO_PAGE =
  /\.(css|js|xml|txt|ico|png|jpe?g|gif|svg|woff|ttf|gz|jar|exe|pdf|doc|swf|log|conf|py|c|h|sh|md|zip|deb|rpm|json|mp3|cpp|rb|java|yml)$/i;

export function naiveViews(file: string): NaiveView[] {
  const views: NaiveView[] = [];
  for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
    const [head = '', request = '', rest = '', referrer = '', , agent = ''] = line.split('"');
    const [method, target = ''] = request.split(' ');
    const [path = '', query = ''] = target.split('?');
    const file = path.split('/').at(-1) ?? '';
    const isPage = !NO_PAGE.test(file);
    if (method !== 'GET' || !/^ (200|304) /.test(rest) || !isPage) continue;
    if (/flav=rss20|flav=atom|feed=/.test(query) || agent === '-' || agent === '' || isbot(agent)) continue;
    const day = head.slice(head.indexOf('[') + 1, head.indexOf(']')); // 17/May/2015:10:05:03 +0000
    const at = Date.parse(`${day.slice(0, 11).replaceAll('/', ' ')} ${day.slice(12)}`);
    const host = referrer === '-' ? '' : new URL(referrer).hostname;
    views.push({
      who: `${new Date(at).toISOString().slice(0, 10)} ${head.split(' ')[0]} ${agent}`,
      at,
      path: path.length > 1 ? path.replace(/\/+$/, '') : path,
      referrer: host === OWN || host.endsWith(`.${OWN}`) ? '' : host,
      campaign: new URLSearchParams(query).get('utm_campaign') ?? '',
    });
  }
  return views;
}

/** The views with the referrer and campaign of the first view of their session put on all of them. */
export function inSessions(views: readonly NaiveView[]): { view: NaiveView; first: NaiveView }[] {
  const latest = new Map<string, { view: NaiveView; first: NaiveView }>();
  return [...views]
    .sort((a, b) => a.at - b.at)
    .map((view) => {
      const before = latest.get(view.who);
      const first = before && view.at - before.view.at <= GAP ? before.first : view;
      latest.set(view.who, { view, first });
      return { view, first };
    });
}

/** Count by key, most first, then by key. */
export function tally(keys: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
