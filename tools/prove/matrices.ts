import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** Tests that run longer here than in `npm test`. */
export interface Matrix {
  readonly path: string;
  /** Its sizes, by the environment variable that can change each. */
  readonly sizes: Readonly<Record<string, string>>;
}

const MATRICES: readonly Matrix[] = [
  { path: 'test/oracle', sizes: { ORACLE_RUNS: '1000' } },
  { path: 'test/browser', sizes: { BROWSER_SCREENS: '4', BROWSER_CLOCKS: '8' } },
  { path: 'test/docker', sizes: { IMAGES_NPM_CI: '1' } },
  { path: 'test/journeys/restored-backup', sizes: { BACKUP_KILLS: '20' } },
  { path: 'test/query/executors-agree', sizes: { EXECUTOR_RUNS: '100' } },
  {
    path: 'test/reliability',
    sizes: {
      RELIABILITY_KILLS: '100',
      RELIABILITY_SENDER_KILLS: '20',
      RELIABILITY_MALFORMED: '10000',
      RELIABILITY_VISITORS: '400',
      RELIABILITY_OUTAGE_MS: '60000',
      RELIABILITY_CUTS: '20',
      RELIABILITY_CHANGES: '5',
      RELIABILITY_FAULTS: '1',
    },
  },
  { path: 'apps/projector/src/projections/websites/websites-group', sizes: { PROJECTION_RUNS: '500' } },
  { path: 'apps/projector/src/runner/parking', sizes: { PARKING_RUNS: '100' } },
  { path: '(test/(openapi|query)|apps/projector/src)/', sizes: { RANDOM_RUNS: '3' } },
  { path: 'test/(intake-log/)?kafka/', sizes: { KAFKA_KILLS: '10', KAFKA_COPIERS: '30' } },
];

/** TRICKY: the tests would read a malformed size as zero and prove nothing. @throws StartFailure */
export function matricesFor(env: Readonly<NodeJS.ProcessEnv>): readonly Matrix[] {
  return MATRICES.map(({ path, sizes }) => {
    const chosen = Object.entries(sizes).map(([name, size]) => [name, sizeOf(name, env[name] ?? size)] as const);
    return { path, sizes: Object.fromEntries(chosen) };
  });
}

function sizeOf(name: string, text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw new StartFailure(`${name} is "${text}"; it must be a whole number from 1.`);
}

/** `test/oracle (ORACLE_RUNS=1000)`. */
export const described = ({ path, sizes }: Matrix): string =>
  `${path} (${Object.entries(sizes)
    .map((size) => size.join('='))
    .join(', ')})`;
