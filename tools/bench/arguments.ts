import { resolve } from 'node:path';
import { parseArgs, types } from 'node:util';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { PART_NAMES, type PartName } from './parts/catalogue';
import type { BenchContext } from './parts/part';

export const USAGE = `Usage: npm run bench [-- ${PART_NAMES.join('|')} …] [--events 1000000] [--today 10] [--today-events 500000] [--seconds 120] [--memory MB] [--links 1000000] [--log kafka] [--data FOLDER] [--json FILE] [--profile FOLDER]

Measures this machine against the targets of docs/benchmarks.md and prints one table. --json writes all figures to a file,
--profile writes CPU profiles of the apps to a folder. With --log kafka, the part intake sends events to KAFKA_BROKERS.
--today is the part of the events that are of today, in percent, for disk, query, dashboards, goals, console, raw, together, rebuild, backup and erase;
--data keeps the installation that these share, and opens it again next time.
--today-events are those of today that the part today has before more arrive for so many --seconds, beside --events of earlier days;
--memory starts it as on a machine with so little memory, which it may exceed here.`;
const LEAST = 10_000;
const LEAST_SECONDS = 10;
const LEAST_MEMORY_MB = 512;

export function readArguments(args: readonly string[]): { parts: readonly PartName[] } & Pick<
  BenchContext,
  'events' | 'today' | 'todayEvents' | 'seconds' | 'memoryMb' | 'links' | 'profileTo' | 'keptIn' | 'kafkaBrokers'
> & {
    jsonTo: string | undefined;
  } {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: {
        events: { type: 'string', default: '1000000' },
        today: { type: 'string', default: '10' },
        'today-events': { type: 'string', default: '500000' },
        seconds: { type: 'string', default: '120' },
        memory: { type: 'string' },
        links: { type: 'string', default: '1000000' },
        log: { type: 'string', default: 'postgres' },
        data: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
      },
      allowPositionals: true,
    });
    const events = atLeast(LEAST, 'events', values.events);
    const today = between(0, 90, 'today', values.today) / 100;
    const todayEvents = atLeast(LEAST, 'today-events', values['today-events']);
    const seconds = atLeast(LEAST_SECONDS, 'seconds', values.seconds);
    const memoryMb = values.memory === undefined ? undefined : atLeast(LEAST_MEMORY_MB, 'memory', values.memory);
    const links = atLeast(LEAST, 'links', values.links);
    const named = positionals.map(partNamed);
    const [jsonTo, profileTo, keptIn] = [values.json, values.profile, values.data].map((path) => path && resolve(path));
    const kafkaBrokers = brokersFor(values.log);
    return {
      parts: named.length > 0 ? named : PART_NAMES,
      events,
      today,
      todayEvents,
      seconds,
      memoryMb,
      links,
      jsonTo,
      profileTo,
      keptIn,
      kafkaBrokers,
    };
  } catch (error) {
    throw new StartFailure(`${types.isNativeError(error) ? error.message : 'Wrong arguments.'}\n\n${USAGE}`);
  }
}

function atLeast(least: number, option: string, text: string): number {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(value) || value < least) throw new Error(`--${option} must be a whole number from ${least}.`);
  return value;
}

function between(least: number, most: number, option: string, text: string): number {
  const value = Number(text);
  if (!(value >= least && value <= most)) throw new Error(`--${option} must be a number from ${least} to ${most}.`);
  return value;
}

function brokersFor(log: string): string | undefined {
  if (log === 'postgres') return undefined;
  if (log !== 'kafka') throw new Error('--log must be postgres or kafka.');
  const brokers = process.env.KAFKA_BROKERS?.trim();
  if (!brokers) throw new Error('--log kafka needs KAFKA_BROKERS; "node test/kafka/run.cjs" starts a broker.');
  return brokers;
}

function partNamed(text: string): PartName {
  const name = PART_NAMES.find((each) => each === text);
  if (name === undefined) throw new Error(`There is no part "${text}".`);
  return name;
}
