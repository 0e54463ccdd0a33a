import type { FastifyReply } from 'fastify';

/** Aborted when the client goes away before it has its answer. */
export function clientDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return gone.signal;
}
