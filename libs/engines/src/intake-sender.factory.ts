import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import {
  DEFAULT_SENDING,
  fixPartitions,
  openIntakeLog,
  type IntakeLogOptions,
} from '@ledgerline/platform/intake-log/postgres-intake-log';
import { OpenedWhenUp, type StoreWait } from '@ledgerline/platform/log/opened-when-up';
import type { HitTopic } from '../../kafka/src/hit-topic.js';

interface IntakeSenderOptions extends IntakeLogOptions {
  /** Absent = hits are written to the segments. */
  readonly kafka: KafkaSettings | undefined;
}

/**
 * Returns what takes the hits of this installation. The database must be there when it is opened, and with Kafka no
 * longer. To
 * one who waits for Kafka, hits are refused as unavailable until it is reached.
 * @throws StartFailure where Kafka cannot serve
 */
export async function openIntakeSender(
  { kafka: settings, ...options }: IntakeSenderOptions,
  waiting?: Omit<StoreWait, 'name'>,
): Promise<IntakeSender> {
  if (settings === undefined) return openIntakeLog(options);
  const { KafkaHitSender } = await import('../../kafka/src/kafka-hit-sender.js');
  const partitions = await fixPartitions(options);
  const sending = { ...DEFAULT_SENDING, ...options };
  const connect = async () => {
    const topic = await loadHitTopic(settings, 'tracker', partitions);
    return new KafkaHitSender({ producer: topic.producer(), tags: topic.tags, partitions, sending });
  };
  if (waiting === undefined) return connect();
  const opened = await OpenedWhenUp.open(connect, { ...waiting, name: 'Kafka' });
  return {
    send: async (hits) => opened.get().send(hits),
    probe: async () => opened.get().probe(),
    close: () => opened.close(),
  };
}

/** The topic that hits are sent to, for a process of this name; the driver of Kafka is loaded only here. @throws StartFailure */
export async function loadHitTopic(settings: KafkaSettings, process: string, partitions: number): Promise<HitTopic> {
  const { openHitTopic } = await import('../../kafka/src/hit-topic.js');
  return openHitTopic(settings, process, partitions);
}
