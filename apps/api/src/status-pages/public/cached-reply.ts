import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const MAX_AGE_S = 60;

/** Documents the answer to a client that has the newest version. */
export const NOT_MODIFIED = { status: 304, description: 'What `If-None-Match` names is still the newest' };

/** Sends what may be cached for a minute, or 304 where the client has it already. */
export function sendCached(reply: FastifyReply, type: string, content: string): void {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
  const known = reply.request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  reply.header('cache-control', `public, max-age=${MAX_AGE_S}`).header('etag', etag);
  if (known?.includes(etag) || known?.includes('*')) void reply.status(304).send();
  else void reply.type(type).send(content);
}
