import type { Settings } from '../config/settings';

/** Which proxies Fastify trusts for the client's address: the last n hops, these addresses, all or none. */
export const trusted = (whom: Settings['trustProxy']) =>
  typeof whom === 'number' ? (_: string, hop: number) => hop < whom : typeof whom === 'object' ? [...whom] : whom;
