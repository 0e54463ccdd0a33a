import type { Middleware } from 'openapi-fetch';

/** Long enough for every read model to include a write; a position that is never reached delays no read after that. */
const KEPT_MS = 10_000;

/** Lets every read of the next seconds include what this client wrote: it sends the position of its newest write. */
export function ownWrites(): Middleware {
  let newest: { readonly position: string; readonly until: number } | undefined;
  return {
    onRequest({ request, schemaPath }) {
      const reads = request.method === 'GET' || schemaPath === '/v1/query';
      if (newest && performance.now() > newest.until) newest = undefined;
      if (!newest || !reads || !schemaPath.startsWith('/v1/')) return;
      if (!request.headers.has('X-Min-Position')) request.headers.set('X-Min-Position', newest.position);
    },
    onResponse({ response }) {
      const position = response.headers.get('X-Log-Position');
      if (position === null || (newest && isBefore(position, newest.position))) return;
      newest = { position, until: performance.now() + KEPT_MS };
    },
  };
}

/** Of two writes at once, the first answer may be of the later one. Positions in other forms are taken in order of arrival. */
const isBefore = (one: string, other: string): boolean =>
  [one, other].every((each) => /^e:\d+$/.test(each)) && BigInt(one.slice(2)) < BigInt(other.slice(2));
