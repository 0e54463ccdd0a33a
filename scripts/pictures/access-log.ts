import { writeFileSync } from 'node:fs';
import { BROWSER_DAYS } from '../simulate/traffic';
import { arrivals, type Arrival } from '../traffic/arrivals';

const DAY_MS = 86_400_000;
/** Twice the month that is shown, as it is compared with the one before. */
const PLAN = { seed: 31, days: 60, visitors: 3_400, visits: 8_600 };
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Writes simulated page views up to the days whose events browsers may send, in the combined format. */
export function writeAccessLog(file: string): void {
  const latest = Date.now() - BROWSER_DAYS * DAY_MS;
  const hits = [...arrivals({ ...PLAN, end: Date.now() })].flat().filter(({ hit }) => hit.at < latest);
  writeFileSync(file, hits.flatMap(lineOf).join(''));
}

function lineOf({ visit, hit }: Arrival): string[] {
  if (hit.kind !== 'view') return [];
  const { person, source, bot } = visit;
  const referrer = source.referrer && hit.place === 0 ? `https://${source.referrer.host}${source.referrer.path}` : '-';
  const agent = bot ?? person.browser.userAgent;
  return [
    `${person.address} - - [${timeOf(hit.at)}] "GET ${hit.page.path} HTTP/1.1" 200 5120 "${referrer}" "${agent}"\n`,
  ];
}

function timeOf(at: number): string {
  const [year, month, day] = new Date(at).toISOString().slice(0, 10).split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${new Date(at).toISOString().slice(11, 19)} +0000`;
}
