import type { KafkaSettings } from '../config/kafka-settings';
import type { HitTopic } from './kafka/open-hit-topic';
import type { IntakeSender } from './intake-log';
import { DEFAULT_SENDING, fixPartitions, openIntakeLog, type IntakeLogOptions } from './intake-log.factory';

interface IntakeSenderOptions extends IntakeLogOptions {
  /** Absent = hits are written to the segments. */
  readonly kafka: KafkaSettings | undefined;
}

/**
 * What takes the hits of this installation. The database must be there when it is opened, and with Kafka no longer.
 * @throws StartFailure when Kafka cannot be reached or cannot serve, in one sentence
 */
export async function openIntakeSender({ kafka: settings, ...options }: IntakeSenderOptions): Promise<IntakeSender> {
  if (settings === undefined) return openIntakeLog(options);
  const { KafkaHitSender } = await import('./kafka/kafka-hit-sender.js');
  const partitions = await fixPartitions(options);
  const topic = await loadHitTopic(settings, 'tracker', partitions);
  const sending = { ...DEFAULT_SENDING, ...options };
  return new KafkaHitSender({ producer: topic.producer(), tags: topic.tags, partitions, sending });
}

/** The topic that hits are sent to, for a process of this name; the driver of Kafka is loaded only here. @throws StartFailure */
export async function loadHitTopic(settings: KafkaSettings, process: string, partitions: number): Promise<HitTopic> {
  const { openHitTopic } = await import('./kafka/open-hit-topic.js');
  return openHitTopic(settings, process, partitions);
}
