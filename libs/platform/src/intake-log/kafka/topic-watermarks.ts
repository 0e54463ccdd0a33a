import type { Admin, Kafka } from 'kafkajs';
import type { Watermarks } from './topic-offsets';

/** Asks Kafka where the partitions of a topic begin and end. */
export class TopicWatermarks {
  private admin: Promise<Admin> | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {}

  async all(): Promise<readonly Watermarks[]> {
    const connecting = (this.admin ??= this.connect());
    try {
      const offsets = await (await connecting).fetchTopicOffsets(this.topic);
      return offsets.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
    } catch (error) {
      this.admin = undefined;
      void connecting.then((admin) => admin.disconnect()).catch(() => undefined);
      throw error;
    }
  }

  /** @throws when the topic does not have the partition */
  async of(partition: number): Promise<Watermarks> {
    const found = (await this.all()).find((one) => one.partition === partition);
    if (found === undefined) throw new RangeError(`${this.topic} has no partition ${partition}.`);
    return found;
  }

  async close(): Promise<void> {
    await this.admin?.then((admin) => admin.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}
