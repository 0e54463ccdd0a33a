import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { command } from '../scripts/command';

const USAGE = `Usage: node dist/tools/large-bodies.js <address of an api> <id of a public website> [API key]

Sends bodies whose lists are too long, and prints of each its bytes, the status and bytes of its answer, the milliseconds
until it came, those of JSON.parse, and the longest wait for /health meanwhile. With a key that may write, also a flag's.`;

interface LargeBody {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly type?: string;
}

const JSON_TYPE = 'application/json';

function bodiesFor(website: string, mayWrite: boolean): readonly LargeBody[] {
  const path = `/v1/query?website_id=${website}`;
  const question = (fields: string) => `{"parameters":["country"],${fields}}`;
  const flag = {
    name: 'rules of 600 KB',
    path: '/v1/flags',
    body: `{"key":"a","name":"A","rules":${list('{}', 200_000)}}`,
  };
  const nested = `{"name":"goals","goals":${list(`{"condition":{"kind":"page","filters":${list('{}', 20)}}}`, 20)}}`;
  return [
    { name: 'a question, to begin with', path, body: question('"limit":1') },
    { name: 'filters: 30,000 × {}', path, body: question(`"filters":${list('{}', 30_000)}`) },
    { name: 'filters of a megabyte', path, body: question(`"filters":${list('{}', 330_000)}`) },
    { name: 'parameters: 30,000 × {}', path, body: `{"parameters":${list('{}', 30_000)}}` },
    { name: 'goals in goals, all full', path, body: `{"parameters":${list(nested, 20)}}` },
    { name: '8,000 unknown names', path, body: question(names(8_000)) },
    { name: 'a form of 30,000 fields', path: '/v1/auth/oauth2/token', body: 'a&'.repeat(30_000), type: FORM_TYPE },
    ...(mayWrite ? [flag] : []),
  ];
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

const list = (each: string, count: number): string => `[${Array.from({ length: count }, () => each).join()}]`;

const names = (count: number): string => Array.from({ length: count }, (_, at) => `"n${at}":1`).join();

function parsing({ body, type = JSON_TYPE }: LargeBody): number {
  if (type !== JSON_TYPE) return 0;
  const begun = performance.now();
  JSON.parse(body);
  return performance.now() - begun;
}

/** How long each of one request after the other waited. */
async function healthWaits(api: string, signal: AbortSignal): Promise<readonly number[]> {
  const waits: number[] = [];
  do {
    const begun = performance.now();
    await (await fetch(`${api}/health`)).arrayBuffer();
    waits.push(performance.now() - begun);
  } while (!signal.aborted);
  return waits;
}

command(USAGE, async ([api, website, key]) => {
  if (api === undefined || website === undefined) throw new StartFailure(USAGE);
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  for (const large of bodiesFor(website, key !== undefined)) {
    const stop = new AbortController();
    const waits = healthWaits(api, stop.signal);
    const begun = performance.now();
    const { path, body, type = JSON_TYPE } = large;
    const answer = await fetch(api + path, { method: 'POST', body, headers: { ...headers, 'content-type': type } });
    const bytes = (await answer.arrayBuffer()).byteLength;
    const took = performance.now() - begun;
    stop.abort();
    const longest = Math.max(...(await waits));
    const figures = [`${body.length} B sent`, `${answer.status}`, `${bytes} B back`, `${took.toFixed(1)} ms`];
    const compared = [`JSON.parse ${parsing(large).toFixed(1)} ms`, `/health ${longest.toFixed(1)} ms`];
    process.stdout.write(`${large.name}: ${[...figures, ...compared].join(', ')}\n`);
  }
});
