import { CompressionTypes, Kafka, logLevel } from 'kafkajs';

interface Message {
  readonly key: string;
  readonly value: string;
}

/** The driver alone: one request for each batch, to all in-sync replicas, with the same compression as the sender's. */
export async function bareKafka(brokers: readonly string[], topic: string) {
  const kafka = new Kafka({ brokers: [...brokers], clientId: 'bare', logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  return {
    send: (messages: readonly Message[]) =>
      producer.send({ topic, acks: -1, compression: CompressionTypes.GZIP, messages: [...messages] }),
    close: () => producer.disconnect(),
  };
}
