import { loadHeaps, type Heaps } from '@ledgerline/platform/config/settings';

/**
 * The heap of a process, MB: a share of the memory that it has with the others and Postgres, or alone, within bounds. V8
 * collects garbage late where the maximum is 2 GB or more.
 */
export const HEAPS = {
  api: { beside: 0.2, alone: 0.5, least: 160, most: 1536 },
  projector: { beside: 0.2, alone: 0.5, least: 160, most: 1536 },
  tracker: { beside: 0.1, alone: 0.5, least: 96, most: 1024 },
} as const satisfies Record<keyof Heaps, object>;

export const isApp = (name: string): name is keyof Heaps => Object.hasOwn(HEAPS, name);

/** Each semi-space of the young generation: a share of the heap, and the most, MB. */
const SEMI_SPACE_SHARE = 1 / 8;
const MOST_SEMI_SPACE: Readonly<Record<keyof Heaps, number>> = { api: 32, projector: 64, tracker: 4 };

interface Machine {
  readonly memoryMb: number;
  /** True if the process has the memory for itself, as in a container. */
  readonly isAlone: boolean;
}

/**
 * Options of Node for an app. Most objects of a batch or of requests under load are short-lived; a larger young generation
 * avoids copying them. The tracker has a small one instead, as a redirect waits for each collection: 2 ms instead of 8.
 * What NODE_OPTIONS names is left to it. @throws StartFailure for a heap that is no number
 */
export function nodeOptions(app: keyof Heaps, env: NodeJS.ProcessEnv, { memoryMb: mb, isAlone }: Machine): string[] {
  const { beside, alone, least, most } = HEAPS[app];
  const heapMb = loadHeaps(env)[app] ?? Math.floor(Math.min(Math.max(mb * (isAlone ? alone : beside), least), most));
  const semiSpaceMb = Math.min(powerOfTwo(heapMb * SEMI_SPACE_SHARE), MOST_SEMI_SPACE[app]);
  const options = [
    `--max-old-space-size=${heapMb}`,
    `--max-semi-space-size=${semiSpaceMb}`,
    ...(app === 'api' ? [`--min-semi-space-size=${semiSpaceMb / 2}`] : []),
  ];
  const given = (env.NODE_OPTIONS ?? '').replaceAll('_', '-');
  return options.filter((option) => !given.includes(option.slice(0, option.indexOf('='))));
}

const powerOfTwo = (most: number): number => 2 ** Math.floor(Math.log2(Math.max(most, 1)));
