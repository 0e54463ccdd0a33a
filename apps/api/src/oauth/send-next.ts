import type { FastifyReply } from 'fastify';
import type { Next } from './authorization-server';
import { refusedPage } from './pages/message.page';
import { sendPage } from './pages/page';

/** Sends the browser on, or shows why there is nowhere to go. */
export function sendNext(reply: FastifyReply, next: Next): void {
  if (next.to === 'nowhere') sendPage(reply, refusedPage(next.reason), 400);
  else void reply.redirect(next.address, 303);
}
