import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';

/** Everything a log holds, in the order of each partition. */
export async function allOf(log: IntakeLog): Promise<ObservedEvent[]> {
  const events: ObservedEvent[] = [];
  for (let partition = 0; partition < (await log.partitions()); partition++) {
    let after = BEGINNING;
    for (let done = false; !done;) {
      const batch = await log.read(partition, after, { max: 1_000 });
      events.push(...batch.events.map(({ event }) => event));
      after = batch.next;
      done = batch.atHead;
    }
  }
  return events;
}
