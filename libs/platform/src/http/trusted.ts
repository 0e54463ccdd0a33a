import type { Settings } from '../config/settings';

/** Whom Fastify believes what they say of the client's address: so many hops, these addresses, everybody or nobody. */
export const trusted = (whom: Settings['trustProxy']) =>
  typeof whom === 'number' ? (_: string, hop: number) => hop < whom : typeof whom === 'object' ? [...whom] : whom;
