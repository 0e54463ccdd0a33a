import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { GRANULARITIES } from '@ledgerline/domain/query/buckets';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { firstDifference } from '../oracle/compare';
import { expectedAboutLink, expectedAboutWebsite } from '../oracle/expected-rows';
import type { NaiveRequest } from '../oracle/naive-request';
import { dayAt } from './tenant';

/** A website or link somebody asks about, in the website's own time zone. */
export interface Subject {
  readonly about: 'website' | 'link';
  readonly id: string;
  readonly zone: string;
}

type Row = Readonly<Record<string, unknown>>;
type Granularity = NaiveRequest['granularity'];

/** A filter everything passes, so that the facts answer, and not the rollups. */
const EVERYTHING = {
  website: [{ field: 'path', op: 'ne' as const, value: '/nowhere' }],
  link: [{ field: 'city', op: 'ne' as const, value: 'Nowhere' }],
};

/** What happened in the last five minutes may be over between the question and the second check. */
const isTooQuick = (name: string): boolean => name === 'active_stats' || name.startsWith('realtime_');
const MOST_AT_ONCE = 20;
const LIMIT = 10_000;

/** One request, and what plain loops over the log's events make of it. */
interface ExpectedAnswers {
  readonly subject: Subject;
  readonly reading: 'rollups' | 'facts';
  readonly request: NaiveRequest;
  readonly expected: ReadonlyMap<string, readonly Row[]>;
}

/** Returns what every query type must answer about a subject: from rollups and from facts, by each granularity. */
export function expectedAnswersAbout(subject: Subject, log: readonly ObservedEvent[]): ExpectedAnswers[] {
  const own = log.filter((event) => isAbout(event, subject));
  const readings = ['rollups', 'facts'] as const;
  return readings.flatMap((reading) =>
    GRANULARITIES.map((granularity) => {
      const request = naiveRequest(subject, reading, granularity);
      const types = typesFor(subject, reading, granularity);
      return { subject, reading, request, expected: new Map(types.map(({ name }) => [name, expect(name, request)])) };
    }),
  );

  function expect(name: string, naive: NaiveRequest): readonly Row[] {
    const rows =
      subject.about === 'website'
        ? expectedAboutWebsite(name, naive, own)
        : expectedAboutLink(name, naive, own as LinkClicked[]);
    if (!rows) throw new Error(`The oracle does not know ${name}: write down its definition first.`);
    return rows;
  }
}

/** Tells how an api's answers differ from that: nothing, if all is well. */
export async function differencesFrom(apiUrl: string, key: string, check: ExpectedAnswers): Promise<string[]> {
  const { subject, reading, request, expected } = check;
  const names = [...expected.keys()];
  const found: string[] = [];
  for (let at = 0; at < names.length; at += MOST_AT_ONCE) {
    const answers = await ask(apiUrl, key, check, names.slice(at, at + MOST_AT_ONCE));
    for (const { parameter, data, error } of answers) {
      const difference = data ? firstDifference(data, expected.get(parameter) ?? [], true) : error;
      if (difference)
        found.push(`${subject.about}: ${parameter} from ${reading}, ${request.granularity}: ${difference}`);
    }
  }
  return found;
}

interface Answer {
  readonly parameter: string;
  readonly data?: readonly Row[];
  readonly error?: string;
}

async function ask(apiUrl: string, key: string, check: ExpectedAnswers, parameters: string[]): Promise<Answer[]> {
  const { subject, request } = check;
  const { startDate, endDate, timezone, granularity, filters } = request;
  const url = `${apiUrl}/v1/query?${subject.about}_id=${subject.id}`;
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const body = { parameters, startDate, endDate, timezone, granularity, filters, limit: LIMIT };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return (JSON.parse(text) as { data: Answer[] }).data;
}

/** Days back to before the first event; hours of the last days only, as there are many. */
const naiveRequest = (
  { about, zone }: Subject,
  reading: ExpectedAnswers['reading'],
  granularity: Granularity,
): NaiveRequest => ({
  startDate: dayAt(granularity === 'daily' ? -9 : -2),
  endDate: dayAt(1),
  timezone: zone,
  granularity,
  filters: reading === 'rollups' ? [] : EVERYTHING[about],
  now: Date.now(),
});

const typesFor = ({ about }: Subject, reading: ExpectedAnswers['reading'], granularity: Granularity): QueryType[] =>
  CATALOGUE.filter(
    (type) =>
      type.about === about &&
      !isTooQuick(type.name) &&
      type.takes.ids.length === 0 &&
      type.takes.options.length === 0 && // what they count, a definition says
      !type.sources.own &&
      (reading === 'rollups' || EVERYTHING[about].every(({ field }) => type.takes.filters.includes(field))) &&
      (granularity === 'daily' || type.shape === 'series'),
  );

const isAbout = ({ type, data }: ObservedEvent, { about, id }: Subject): boolean =>
  about === 'link' ? type === 'LinkClicked' && data.linkId === id : 'websiteId' in data && data.websiteId === id;
