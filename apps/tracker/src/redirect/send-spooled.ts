import { HitTooLarge, type Hit, type SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { isBadData } from '@ledgerline/platform/intake-log/refusal';
import { clicksIn, hitsOf } from './clicks';

export type Send = (hits: readonly Hit[]) => Promise<SendResult>;

/** Lines that are read and sent together: the log makes one flush of them, and no large file stops this thread. */
const SENT_AT_ONCE = 20;

/** Sends lines of the spool, and answers what can never be sent: broken lines, and clicks refused for what they are. */
export async function sendSpooled(lines: readonly string[], send: Send): Promise<readonly string[]> {
  const refused: string[] = [];
  for (let at = 0; at < lines.length; at += SENT_AT_ONCE) {
    const portion = lines.slice(at, at + SENT_AT_ONCE);
    const accepted = await Promise.all(portion.map((line) => isLineAccepted(line, send)));
    // one after another, as what is sent at the same time may be refused for its neighbours
    for (const line of portion.filter((_, n) => !accepted[n])) refused.push(...(await sift(line, send)));
  }
  return refused;
}

async function isLineAccepted(line: string, send: Send): Promise<boolean> {
  const batch = clicksIn(line);
  return batch !== null && (await isAccepted(hitsOf(batch, 'forever'), send));
}

/** A batch is refused whole: then each click goes alone, and only the bad ones are left. */
async function sift(line: string, send: Send): Promise<readonly string[]> {
  const batch = clicksIn(line);
  if (batch === null) return [line];
  if (await isAccepted(hitsOf(batch, 'forever'), send)) return [];
  const refused: string[] = [];
  for (const click of batch.clicks)
    if (!(await isAccepted([{ ...click, dedupe: 'forever' }], send))) refused.push(JSON.stringify(click));
  return refused;
}

/** Only what is wrong with the hits themselves is a refusal; every other failure may pass. */
async function isAccepted(hits: readonly Hit[], send: Send): Promise<boolean> {
  try {
    await send(hits);
    return true;
  } catch (error) {
    if (error instanceof RangeError || error instanceof HitTooLarge || isBadData(error)) return false;
    throw error;
  }
}
