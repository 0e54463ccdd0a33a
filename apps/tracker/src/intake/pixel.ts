import { withExactIntegers } from '@ledgerline/platform/http/json-body';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A transparent GIF of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const NUMBERS: ReadonlySet<string> = new Set([
  'timestamp',
  'time_on_page',
  'scroll_depth',
  'interaction_count',
  'page_count',
]);

/** The event in the query string of an image: a page view of the page that shows it, unless it says something else. */
export function pixelItem({ query, headers }: FastifyRequest): Readonly<Record<string, unknown>> {
  const fields = Object.entries(query as Readonly<Record<string, unknown>>).map(([name, value]): [string, unknown] => [
    name,
    name === 'properties' ? jsonOf(value) : NUMBERS.has(name) ? numberOf(value) : value,
  ]);
  return { name: 'screen_view', path: headers.referer, ...Object.fromEntries(fields) };
}

export function sendPixel(reply: FastifyReply): void {
  void reply
    .type('image/gif')
    .header('cache-control', 'no-store')
    .header('cross-origin-resource-policy', 'cross-origin')
    .send(GIF);
}

/** What is no number stays as it is, and is refused with the name of its field. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

function jsonOf(value: unknown): unknown {
  try {
    if (typeof value !== 'string') return value;
    JSON.parse(value); // what is no JSON stays so
    return JSON.parse(withExactIntegers(value)) as unknown;
  } catch {
    return value;
  }
}
