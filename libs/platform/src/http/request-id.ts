import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own X-Request-ID where it is a plain token, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
}

const requests = new AsyncLocalStorage<string>();

/** TRICKY: costs every later promise of the process some time, so only a host that uses {@link currentRequestId} calls it. */
export const withinRequest = (id: string, work: () => void): void => requests.run(id, work);

/** The id of the request this runs for; undefined outside of one. */
export const currentRequestId = (): string | undefined => requests.getStore();
