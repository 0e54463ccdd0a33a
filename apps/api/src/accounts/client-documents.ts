import { guardedAgent, type GuardOptions } from '@ledgerline/platform/outbound/guarded-agent';
import { Injectable } from '@nestjs/common';

/** More than the library takes of a document. */
const MAX_BYTES = 16 * 1024;

/** The metadata documents that clients publish of themselves on the web. */
@Injectable()
export class ClientDocuments {
  /** Specs let it reach servers of their own. */
  guard: GuardOptions = {};

  /** Reads a document whole, from public addresses only and until the signal ends it. Redirects are not followed. */
  async fetch(address: string, { headers, signal }: Pick<RequestInit, 'headers' | 'signal'>): Promise<Response> {
    if (!signal) throw new TypeError('A request for a document needs a signal.');
    const { origin, pathname, search } = new URL(address);
    const agent = await guardedAgent(this.guard, { maxResponseSize: MAX_BYTES, signal });
    const path = pathname + search;
    const request = { origin, path, method: 'GET', headers: Object.fromEntries(new Headers(headers)) } as const;
    try {
      const { statusCode, headers: sent, body } = await agent.request(request);
      const bytes = await body.arrayBuffer();
      // with some statuses, as 304, there must be no body at all
      return new Response(bytes.byteLength === 0 ? null : bytes, { status: statusCode, headers: pairsOf(sent) });
    } finally {
      await agent.destroy();
    }
  }
}

const pairsOf = (headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] =>
  Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((each): [string, string] => [name, each]));
