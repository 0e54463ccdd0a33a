import type { Queryable } from '@ledgerline/platform/database/pool';
import { readCopying } from '@ledgerline/kafka/copying';

/** What is copied from Kafka into the intake log. */
export interface CopierReport {
  readonly topic: string;
  readonly status: 'ok' | 'stopped';
  /** Why it is stopped, or what was lost. */
  readonly reason?: string;
  readonly partitions: readonly PartitionReport[];
  /** Messages that Kafka dropped before they were copied, since the topic was created. */
  readonly lost: number;
  /** Messages that are no hits. */
  readonly refused: number;
}

interface PartitionReport {
  readonly partition: number;
  readonly status: 'ok' | 'stopped';
  /** That are not copied yet. */
  readonly messages: number;
  /** How long the oldest of them has been waiting at most; 0 while copying keeps up. */
  readonly lagMs: number;
}

/** Undefined where hits are not sent to Kafka. */
export async function readCopierReport(on: Queryable): Promise<CopierReport | undefined> {
  const rows = await readCopying(on);
  const [first] = rows;
  if (first === undefined) return undefined;
  const stopped = rows.find((row) => row.stopped !== null)?.stopped ?? undefined;
  const lost = rows.reduce((sum, row) => sum + row.lost, 0);
  const reason = stopped ?? (lost > 0 ? `Kafka dropped ${lost} messages before they were copied.` : undefined);
  return {
    topic: first.topic,
    status: stopped === undefined ? 'ok' : 'stopped',
    ...(reason === undefined ? {} : { reason }),
    partitions: rows.map((row) => ({
      partition: row.partition,
      status: row.stopped === null ? 'ok' : 'stopped',
      messages: row.messages,
      lagMs: row.lagMs,
    })),
    lost,
    refused: rows.reduce((sum, row) => sum + row.refused, 0),
  };
}

const text = { type: 'string' };
const count = { type: 'integer' };
const status = { ...text, enum: ['ok', 'stopped'] };

export const COPIER_REPORT = {
  type: 'object',
  properties: {
    topic: text,
    status,
    reason: text,
    partitions: {
      type: 'array',
      items: { type: 'object', properties: { partition: count, status, messages: count, lagMs: count } },
    },
    lost: { ...count, description: 'Messages that Kafka dropped before they were copied' },
    refused: { ...count, description: 'Messages that are no hits' },
  },
  description: 'What is copied from Kafka; absent when hits are not sent there',
};
