import { HitTooLarge, type Hit, type SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { hitsOf, type Click, type Clicks } from './clicks';

export type Send = (hits: readonly Hit[]) => Promise<SendResult>;

/** The log makes one flush of what is sent at the same time. */
const SENT_AT_ONCE = 20;

/** Sends batches that were spooled, and answers the clicks that are refused for what they are. */
export async function replayClicks(batches: readonly Clicks[], send: Send): Promise<readonly Click[]> {
  const refused: Click[] = [];
  for (let at = 0; at < batches.length; at += SENT_AT_ONCE) {
    const sent = batches.slice(at, at + SENT_AT_ONCE).map((batch) => sendOrSift(batch, send));
    refused.push(...(await Promise.all(sent)).flat());
  }
  return refused;
}

/** A batch is refused whole: then each click goes alone, and only the bad ones are left. */
async function sendOrSift(batch: Clicks, send: Send): Promise<readonly Click[]> {
  if (await isTaken(hitsOf(batch, 'forever'), send)) return [];
  const refused: Click[] = [];
  for (const { event, subject } of batch.clicks)
    if (!(await isTaken([{ event, subject, dedupe: 'forever' }], send))) refused.push({ event, subject });
  return refused;
}

async function isTaken(hits: readonly Hit[], send: Send): Promise<boolean> {
  try {
    await send(hits);
    return true;
  } catch (error) {
    if (error instanceof RangeError || error instanceof HitTooLarge) return false;
    throw error;
  }
}
