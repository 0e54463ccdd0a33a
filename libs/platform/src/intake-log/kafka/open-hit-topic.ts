import type { KafkaSettings } from '../../config/kafka-settings';
import { ensureTopic } from './hit-topic';
import { kafkaClient, PRODUCE_MS } from './kafka-client';
import { MessageTags } from './message-tags';
import { TopicConsumer, type ConsumeOptions } from './topic-consumer';
import { TopicProducer } from './topic-producer';
import { TopicWatermarks } from './topic-watermarks';

/** The topic that hits are sent to. */
export interface HitTopic {
  readonly name: string;
  readonly tags: MessageTags;
  producer(): TopicProducer;
  consumer(options: ConsumeOptions): TopicConsumer;
  watermarks(): TopicWatermarks;
}

/** Makes sure that the topic is there and fits the log. @throws StartFailure in one sentence */
export async function openHitTopic(settings: KafkaSettings, process: string, partitions: number): Promise<HitTopic> {
  const kafka = kafkaClient(settings, process);
  await ensureTopic(kafka, settings, partitions);
  const { topic } = settings;
  return {
    name: topic,
    tags: new MessageTags(settings.secret, topic),
    producer: () => new TopicProducer(kafkaClient(settings, process, PRODUCE_MS), topic),
    consumer: (options) => new TopicConsumer(kafka, topic, options),
    watermarks: () => new TopicWatermarks(kafka, topic),
  };
}
