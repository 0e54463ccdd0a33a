import { parseUrl } from '@ledgerline/contracts/parse-url';
import type { Environment } from './environment';

export const POSTGRES_EXAMPLE = 'postgres://user:password@localhost:5432/ledgerline';
export const POSTGRES_URL = /^postgres(ql)?:\/\//;

/** READ_DATABASE_URLS, in order; undefined where it is not set. */
export function readDatabaseUrls(env: Environment): readonly string[] | undefined {
  const urls = listIn(env.optional('READ_DATABASE_URLS'));
  const isWrong = urls?.some((url) => !(POSTGRES_URL.test(url) && parseUrl(url) !== null));
  if (isWrong)
    return env.wrong(
      `READ_DATABASE_URLS is not a list, separated by commas, of URLs such as ${POSTGRES_EXAMPLE}.`,
      urls,
    );
  if (urls && new Set(urls.map(databaseOf)).size < urls.length)
    env.wrong('READ_DATABASE_URLS names a database twice; each read store needs one of its own.');
  return urls;
}

/** PROJECTOR_STORES: places in READ_DATABASE_URLS, from 1; undefined = all. */
export function projectorStores(env: Environment, stores: number): readonly number[] | undefined {
  const value = env.optional('PROJECTOR_STORES');
  const places = listIn(value)?.map((text) => (/^\d+$/.test(text) ? Number(text) : 0));
  if (places?.every((place) => place >= 1 && place <= stores)) return places;
  if (places)
    env.wrong(`PROJECTOR_STORES is "${value ?? ''}"; it must be places in READ_DATABASE_URLS, from 1 to ${stores}.`);
  return undefined;
}

const listIn = (value: string | undefined): string[] | undefined => value?.split(',').map((each) => each.trim());

/** Server and name, whoever connects. */
function databaseOf(text: string): string {
  const url = parseUrl(text);
  return `${url?.hostname}:${url?.port || 5432}${url?.pathname}`;
}
