import { guardedAgent, type GuardOptions } from './guarded-agent';

export interface Beginning {
  /** After redirects. */
  readonly url: URL;
  /** The `Content-Type`; empty without one. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

interface BeginningLimits {
  readonly maxBytes: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 4;
/** For those who read access logs; and nothing that would have to be decompressed. */
const HEADERS = { 'user-agent': 'Mozilla/5.0 (compatible; Ledgerline)', accept: '*/*', 'accept-encoding': 'identity' };

/**
 * The beginning of what is at an address that somebody else chose, of public hosts only, after redirects, too.
 * @throws Error where there is none: another status than 200, an address that is not allowed, no answer in time
 */
export async function fetchBeginning(
  address: string,
  guard: GuardOptions,
  limits: BeginningLimits,
): Promise<Beginning> {
  const { maxBytes, signal } = limits;
  const agent = await guardedAgent(guard, { maxResponseSize: -1, signal });
  try {
    let url = new URL(address);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const { origin, pathname, search } = url;
      const sent = { origin, path: pathname + search, method: 'GET', headers: HEADERS, signal } as const;
      const { statusCode, headers, body } = await agent.request(sent);
      const { location, 'content-type': type = '' } = headers;
      if (statusCode === 200) return { url, type: [type].flat()[0] ?? '', ...(await beginningOf(body, maxBytes)) };
      body.on('error', () => undefined).destroy();
      if (statusCode < 300 || statusCode > 399 || typeof location !== 'string') break;
      url = new URL(location, url);
    }
    throw new Error('There is nothing to be read.');
  } finally {
    await agent.destroy();
  }
}

async function beginningOf(body: AsyncIterable<Buffer>, maxBytes: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes };
}
