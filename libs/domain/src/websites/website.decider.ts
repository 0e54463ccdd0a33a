import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { WebsiteEvent, WebsiteRegistered } from '@ledgerline/contracts/events/website.events';
import { decider, type Command } from '../decider';
import { isZone } from '../time/zones';
import { domainNameOf } from './domain-name';

export type WebsiteCommand = RegisterWebsite;
export type RegisterWebsite = Command<'RegisterWebsite', WebsiteRegistered['data']>;

type Website = { readonly status: 'absent' } | { readonly status: 'active' };

export const website = decider<Website, WebsiteCommand, WebsiteEvent>({
  initial: { status: 'absent' },

  decide: {
    RegisterWebsite({ status }, command) {
      if (status !== 'absent') throw new Rejection('WEBSITE_EXISTS');
      if (!isZone(command.timezone)) throw new Rejection('TIMEZONE_UNKNOWN');
      const domain = hostOf(command.domain);
      const allowedOrigins = [...new Set(command.allowedOrigins.map(hostOf))];
      return [{ type: 'WebsiteRegistered', data: { ...command, domain, allowedOrigins } }];
    },
  },

  evolve: {
    WebsiteRegistered: () => ({ status: 'active' }),
  },
});

function hostOf(text: string): string {
  const name = domainNameOf(text);
  if (name === undefined) throw new Rejection('DOMAIN_INVALID');
  return name;
}
