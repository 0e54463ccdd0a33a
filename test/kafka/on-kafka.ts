import { jarsOf } from './jars';
import type { ReleaseName } from './releases';

interface Needs {
  /** The releases to test; a cluster that KAFKA_BROKERS names is of any. */
  readonly releases?: readonly ReleaseName[];
  /** The tests stop brokers or choose their settings, which those that KAFKA_BROKERS names do not allow. */
  readonly ownBrokers?: boolean;
  /** They take long, so they run only where this variable has their size, as in `npm run prove`. */
  readonly sizedBy?: string;
}

/** Runs the tests with a real Apache Kafka, which they start with `startKafka`, or says loudly why there is none. */
export function describeOnKafka(name: string, tests: () => void, needs: Needs = {}): void {
  const missing = whatIsMissing(needs);
  if (missing === undefined) describe(name, tests);
  else it.skip(`${name}: SKIPPED, as ${missing}`, () => undefined);
}

function whatIsMissing({ releases = ['current'], ownBrokers = false, sizedBy }: Needs): string | undefined {
  if (sizedBy !== undefined && process.env[sizedBy] === undefined) return `only npm run prove sets ${sizedBy}`;
  if (process.env.KAFKA_BROKERS)
    return ownBrokers ? 'KAFKA_BROKERS names brokers that no test may stop or configure' : undefined;
  for (const release of releases) {
    const jars = jarsOf(release);
    if ('missing' in jars) return `${jars.missing} (needed for Apache Kafka; or set KAFKA_BROKERS)`;
  }
  return undefined;
}
