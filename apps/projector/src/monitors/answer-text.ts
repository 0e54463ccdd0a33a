import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { limited, withoutEncodings } from '@ledgerline/platform/outbound/content-encoding';

/** The bytes of a decoded body in which a text is looked for. */
const MAX_BYTES = 1024 * 1024;
/** In which a page must name its characters. */
const HEAD_BYTES = 1024;

/** Returns which of two texts the first MiB of an answer holds, as browsers read it. @throws BodyUnreadable */
export async function findTexts(answer: IncomingMessage, { expected, unwanted }: Texts<string | null>) {
  const longest = Math.max((expected ?? '').length, (unwanted ?? '').length);
  const holds = (whole: string, text: string | null) => text !== null && whole.includes(text);
  const found = { expected: false, unwanted: false };
  let end = '';
  for await (const text of texts(answer)) {
    const whole = end + text;
    found.expected ||= holds(whole, expected);
    found.unwanted ||= holds(whole, unwanted);
    if (found.unwanted || (found.expected && unwanted === null)) break;
    end = whole.slice(-longest);
  }
  return found;
}

interface Texts<Text> {
  readonly expected: Text;
  readonly unwanted: Text;
}

/** A body as text in pieces; the beginning comes again until it is certain how it is to be read. */
async function* texts(answer: IncomingMessage): AsyncIterable<string> {
  let head: Buffer | undefined = Buffer.alloc(0);
  let decoder = new TextDecoder();
  for await (const chunk of limited(withoutEncodings(answer, answer.headers['content-encoding']), MAX_BYTES)) {
    if (!head) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    head = Buffer.concat([head, chunk]);
    decoder = new TextDecoder(charsetOf(answer.headers, head));
    yield decoder.decode(head, { stream: true });
    if (head.length >= HEAD_BYTES) head = undefined;
  }
}

/** The charset that a body begins with, its answer names, or its page or document; UTF-8 if none does. */
function charsetOf({ 'content-type': type = '' }: IncomingHttpHeaders, head: Buffer): string {
  const mark = BYTE_ORDER_MARKS.find(([bytes]) => head.subarray(0, bytes.length).equals(bytes));
  if (mark) return mark[1];
  const markup = head.subarray(0, HEAD_BYTES).toString('latin1');
  const own = /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)|^<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(markup);
  const inMarkup = (own?.[1] ?? own?.[2])?.replace(/^utf-16.*/i, 'utf-8'); // it could not be read otherwise
  return knownCharset(/charset\s*=\s*["']?([^\s"';,]+)/i.exec(type)?.[1]) ?? knownCharset(inMarkup) ?? 'utf-8';
}

const BYTE_ORDER_MARKS = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
] as const;

function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined; // an unknown label
  }
}
