import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataDirOf } from '@ledgerline/platform/config/runtime-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** Options of what to simulate, and where. */
export interface Options {
  readonly visitors: number;
  readonly days: number;
  readonly seed: number;
  /** Without a trailing slash. */
  readonly trackUrl: string;
  readonly websiteId: string;
  /** Absent: no server events. */
  readonly apiKey: string | undefined;
  /** Absent: no clicks. */
  readonly shortUrl: string | undefined;
}

export const USAGE = `Usage: npm run simulate -- [--visitors 6000] [--days 60] [--seed 1]
                         [--track-url URL] [--website ID] [--api-key KEY] [--link URL]

Sends the visits of the last days, up to now, to a running Ledgerline. The same seed has the same visits: what was sent
before counts once. Address, website, key and link default to those of the demo, its key and link only together with its
address. Visitors have countries where their addresses are accepted: by "npm start" with its own database, elsewhere
with TRUST_PROXY.`;

/** @throws StartFailure with one sentence about what is missing or wrong */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const given = parsed(args);
  const demo = readDemo(dataDirOf(env));
  const websiteId = given.website ?? demo.websiteId;
  const trackUrl = bare(given['track-url'] ?? demo.trackUrl);
  const { apiKey, shortUrl }: Demo = trackUrl === bare(demo.trackUrl) ? demo : {}; // never send the key to another host
  if (websiteId === undefined || trackUrl === undefined) {
    throw new StartFailure('Nothing to send to: run "npm start" first, or give --track-url and --website.');
  }
  return {
    visitors: wholeNumber('--visitors', given.visitors ?? '6000', 300_000),
    days: wholeNumber('--days', given.days ?? '60', 3_650),
    seed: wholeNumber('--seed', given.seed ?? '1', 0xffff_ffff),
    trackUrl,
    websiteId,
    apiKey: given['api-key'] ?? apiKey,
    shortUrl: given.link ?? shortUrl,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' as const };
  const names = ['visitors', 'days', 'seed', 'track-url', 'website', 'api-key', 'link'] as const;
  try {
    const options = Object.fromEntries(names.map((name) => [name, text]));
    return parseArgs({ args: [...args], options }).values as Partial<Record<(typeof names)[number], string>>;
  } catch (error) {
    throw new StartFailure(`${error instanceof Error ? error.message : 'Wrong arguments'}\n\n${USAGE}`);
  }
}

const bare = (url: string | undefined) => url?.replace(/\/+$/, '');

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw new StartFailure(`${name} is "${text}"; it must be a whole number from 1 to ${most}.`);
}

interface Demo {
  readonly trackUrl?: string;
  readonly websiteId?: string;
  readonly apiKey?: string;
  readonly shortUrl?: string;
}

function readDemo(dataDir: string): Demo {
  const file = join(dataDir, 'first-run.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Demo) : {};
}
