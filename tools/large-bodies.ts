import { readFileSync } from 'node:fs';
import { matchesGlob } from '@ledgerline/contracts/glob';
import { parseInstant } from '@ledgerline/domain/time/instant';
import { MAX_PARTS } from '@ledgerline/platform/http/json-body';
import { runScriptCommand, takesNothing } from '../scripts/command';
import { Installation, type RunningApp } from './bench/installation/installation';

const ROUNDS = 7;

const USAGE = `Usage: node dist/tools/large-bodies.js

Starts an api and a tracker on a database of their own, and sends bodies that are as large or as wrong as they may be.
Prints of each its bytes, the status and bytes of its answer, the CPU time that it took of the thread that answers, that
of JSON.parse, and how many times that it took beyond a small body: the least of ${ROUNDS} rounds. Then the worst patterns and dates.
Needs Linux.`;

interface LargeBody {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly type?: string;
  /** With a key that may write; without credentials else. */
  readonly key?: string;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** A little less than a host takes. */
const MOST = 1_040_000;

const list = (each: string, count: number): string => `[${Array.from({ length: count }, () => each).join()}]`;

const names = (count: number): string => Array.from({ length: count }, (_, at) => `"n${at}":1`).join();

/** Each of another shape. */
const shapes = (count: number, value = '1'): string =>
  `[${Array.from({ length: count }, (_, at) => `{"n${100_000 + at}":${value}}`).join()}]`;

const FEW = MAX_PARTS / 2 - 20;

/** JSON. */
const nested = (bytes: number): string => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);

function bodiesOfApi(website: string, key: string): readonly [LargeBody, ...LargeBody[]] {
  const asked = { path: `/v1/query?website_id=${website}`, key };
  const question = (fields: string) => `{"parameters":["country"],${fields}}`;
  const goals = `{"name":"goals","goals":${list(`{"condition":{"kind":"page","filters":${list('{}', 20)}}}`, 20)}}`;
  const link = (more: string) => `{"name":"A","targetUrl":"https://example.com/"${more}}`;
  const links = (each: string) => `{"organizationId":"org_bench","links":${list(each, 1_000)}}`;
  const text = 'T'.repeat(MOST - 100);
  return [
    { name: 'a question, to begin with', ...asked, body: question('"limit":1') },
    { name: 'filters: 19,000 × {}', ...asked, body: question(`"filters":${list('{}', 19_000)}`) },
    { name: 'filters of a MiB', ...asked, body: question(`"filters":${list('{}', MOST / 3)}`) },
    { name: 'filters of a MiB, numbers', ...asked, body: question(`"filters":${list('1', MOST / 2 - 50)}`) },
    { name: 'different shapes of a MiB', ...asked, body: question(`"filters":${shapes(MOST / 16)}`) },
    { name: 'different shapes, as many as may be', ...asked, body: question(`"filters":${shapes(FEW)}`) },
    { name: 'lists in lists, as many as may be', ...asked, body: nested(2 * MAX_PARTS) },
    { name: 'unknown names, as many as may be', ...asked, body: question(names(MAX_PARTS - 20)) },
    { name: 'nested lists of a MiB', ...asked, body: nested(MOST) },
    { name: 'goals in goals, all full', ...asked, body: `{"parameters":${list(goals, 20)}}` },
    { name: '70,000 unknown names', ...asked, body: question(names(70_000)) },
    { name: 'a text of a MiB', ...asked, body: question(`"timezone":"${text}"`) },
    { name: 'a text of escapes', ...asked, body: question(`"timezone":"${'\\u0041'.repeat(MOST / 6 - 50)}"`) },
    { name: 'without a key: objects of a MiB', path: '/v1/links', body: list('{}', MOST / 3) },
    { name: 'a form of 30,000 fields', path: '/v1/auth/oauth2/token', body: 'a&'.repeat(30_000), type: FORM_TYPE },
    {
      name: 'a form of a MiB',
      path: '/v1/auth/oauth2/token',
      body: `a=${'%41'.repeat(MOST / 3 - 50)}`,
      type: FORM_TYPE,
    },
    { name: 'rules of 57 KB', path: '/v1/flags', key, body: `{"key":"a","name":"A","rules":${list('{}', 19_000)}}` },
    { name: '1,000 links, all wrong', path: '/v1/links/bulk', key, body: links('{}') },
    { name: '1,000 links with an unknown field', path: '/v1/links/bulk', key, body: links(link(',"a":1')) },
  ];
}

function bodiesOfTracker(website: string): readonly [LargeBody, ...LargeBody[]] {
  const path = `/batch?client_id=${website}`;
  const event = (properties: string) => `{"name":"a","path":"/","properties":${properties}}`;
  const view = `{"name":"screen_view","path":"/","title":"${'T'.repeat(9_000)}"}`;
  return [
    { name: 'a batch, to begin with', path, body: list('{"name":"screen_view","path":"/"}', 1) },
    { name: 'a full batch: 100 × 9 KB', path, body: list(view, 100) },
    { name: 'a full batch of properties', path, body: list(event(`{"a":${list('"12"', 2_000)}}`), 100) },
    { name: 'properties of numbers', path, body: list(event(`{"a":${list('1', 16_000)}}`), 32) },
    { name: 'properties of objects', path, body: list(event(`{"a":${list('{}', 180)}}`), 100) },
    { name: 'items: {} of a MiB', path, body: list('{}', MOST / 3) },
    { name: 'different shapes of a MiB', path, body: shapes(MOST / 16) },
    { name: 'different shapes, as many as may be', path, body: shapes(FEW) },
    { name: 'the same with long numbers', path, body: shapes(FEW, '12345678901234567') },
    { name: 'lists in lists, as many as may be', path, body: nested(2 * MAX_PARTS) },
    { name: 'names, as many as may be', path, body: `{${names(MAX_PARTS - 20)}}` },
    { name: 'nested lists of a MiB', path, body: nested(MOST) },
    { name: '70,000 names', path, body: `{${names(70_000)}}` },
    { name: 'errors of 128 KB', path: `/errors?client_id=${website}`, body: list('{}', 43_000) },
  ];
}

/** Milliseconds of CPU that the first thread of a process has used. */
const cpuMs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** The least of several rounds. */
function ownCpuMs(work: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const begun = process.cpuUsage();
    for (let time = 0; time < TIMES; time++) work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000 / TIMES;
  });
  return Math.min(...rounds);
}

/** As a small body takes less than the clock shows. */
const TIMES = 5;

const print = (...parts: readonly string[]) => process.stdout.write(`${parts.join(', ')}\n`);

/** @return the milliseconds that it took */
async function measure({ url, pid }: RunningApp, { name, path, body, type = JSON_TYPE, key }: LargeBody, small = 0) {
  const headers = { 'content-type': type, 'user-agent': BROWSER, ...(key === undefined ? {} : { 'x-api-key': key }) };
  const taken: number[] = [];
  let status = 0;
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = cpuMs(pid);
    const answer = await fetch(url + path, { method: 'POST', body, headers });
    bytes = (await answer.arrayBuffer()).byteLength;
    status = answer.status;
    taken.push(cpuMs(pid) - begun);
  }
  const took = Math.min(...taken);
  const parse = type === JSON_TYPE ? ownCpuMs(() => JSON.parse(body)) : undefined;
  const compared =
    parse === undefined ? [] : [`JSON.parse ${parse.toFixed(2)} ms`, `× ${((took - small) / parse).toFixed(1)}`];
  print(`${name}: ${body.length} B sent`, `${status}`, `${bytes} B back`, `${took.toFixed(1)} ms`, ...compared);
  return took;
}

async function measureAll(app: RunningApp, [first, ...others]: readonly [LargeBody, ...LargeBody[]]): Promise<void> {
  await measure(app, first);
  const small = await measure(app, first);
  for (const body of others) await measure(app, body, small);
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Patterns and dates as long as they may be, on texts that they nearly match. */
const TEXTS: Readonly<Record<string, () => unknown>> = {
  'a pattern of 2,048 signs, a path of 2,048': () => matchesGlob('*a'.repeat(1_024), `${'a'.repeat(2_047)}b`),
  'the same with **': () => matchesGlob('**a'.repeat(682), `${'a'.repeat(2_047)}b`),
  'a pattern of 2,048 signs, 250 countries': () => {
    for (let at = 0; at < 250; at++) matchesGlob('*a'.repeat(1_024), 'aa');
  },
  'a date of a MiB': () => parseInstant(`2026-01-01T00:00:00.${'0'.repeat(MOST)}`),
};

runScriptCommand(USAGE, async (args) => {
  takesNothing(args, USAGE);
  const installation = await Installation.open({ websites: 1 });
  const { subjects, apiKey } = installation.registered;
  const [{ websiteId }] = subjects;
  try {
    const limits = { LIMIT_QUERY_ANONYMOUS_PER_MINUTE: '1000000', LIMIT_FAILED_AUTH_PER_MINUTE: '1000000' };
    const api = await installation.start('api', limits);
    await measureAll(api, bodiesOfApi(websiteId, apiKey));
    await api.stop();
    const tracker = await installation.start('tracker');
    await measureAll(tracker, bodiesOfTracker(websiteId));
    for (const [name, work] of Object.entries(TEXTS)) print(`${name}: ${ownCpuMs(work).toFixed(1)} ms`);
  } finally {
    await installation.close();
  }
});
