import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Counter } from 'prom-client';
import type { Copied } from './partition-copier';

/** Counts what this process copies from Kafka. */
export function countCopied({ registry }: Metrics): (counts: Copied) => void {
  const messages = new Counter({
    name: 'ledgerline_copier_messages_total',
    help: 'Messages of Kafka by outcome: stored, duplicate, or refused because they are no hits',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ stored, duplicates, refused }) => {
    messages.inc({ outcome: 'stored' }, stored);
    messages.inc({ outcome: 'duplicate' }, duplicates);
    messages.inc({ outcome: 'refused' }, refused);
  };
}
