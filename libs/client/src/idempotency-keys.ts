import type { Middleware } from 'openapi-fetch';

const HEADER = 'Idempotency-Key';
/** POSTs that change nothing, or that take no key. */
const WITHOUT_KEY = /^\/v1\/(query|auth|mcp)\b/;
/** Refusals before the command itself: what an earlier try of it did is as unknown as before. */
const BEFORE_THE_COMMAND = [401, 403, 408, 429];
/** Of calls that failed; the oldest is forgotten first. */
const MAX_KEPT = 100;

/**
 * Sends every change by POST with an `Idempotency-Key`, one for each call. Where a call ends without showing whether it
 * was carried out, the next one with the same address and body is taken for its repetition and has the same key, so that
 * the api returns the first result instead of doing it twice.
 */
export function idempotencyKeys(): Middleware {
  /** By address and body. */
  const ofFailed = new Map<string, string>();
  const underWay = new Map<string, { readonly call: string; readonly key: string }>();
  const settle = (id: string, isKnown: boolean): void => {
    const sent = underWay.get(id);
    underWay.delete(id);
    if (!sent || isKnown) return;
    ofFailed.set(sent.call, sent.key);
    for (const call of [...ofFailed.keys()].slice(0, -MAX_KEPT)) ofFailed.delete(call);
  };
  return {
    async onRequest({ request, schemaPath, id }) {
      if (request.method !== 'POST' || WITHOUT_KEY.test(schemaPath) || request.headers.has(HEADER)) return;
      const call = `${request.url} ${await request.clone().text()}`;
      const key = ofFailed.get(call) ?? newKey();
      ofFailed.delete(call); // another call like it, made while this one is under way, is another command
      underWay.set(id, { call, key });
      request.headers.set(HEADER, key);
    },
    onResponse({ response, id }) {
      settle(id, response.status < 500 && !BEFORE_THE_COMMAND.includes(response.status));
    },
    onError({ id }) {
      settle(id, false);
    },
  };
}

/** Not `randomUUID`, which browsers have only on pages that came by HTTPS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
