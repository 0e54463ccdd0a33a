import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { WebsiteDetails, WebsiteEvent, WebsiteRegistered } from '@ledgerline/contracts/events/website.events';
import { applyChanges, omit } from '../changes';
import { decider, type Command } from '../decider';
import { zoneNamed } from '../time/zone-names';
import { supportedZone } from '../time/zones';
import { domainNameOf } from './domain-name';

export type WebsiteCommand = RegisterWebsite | UpdateWebsite | DeleteWebsite;
export type RegisterWebsite = Command<'RegisterWebsite', WebsiteRegistered['data']>;
/** A timezone is accepted when it is the one the website has. */
export type UpdateWebsite = Command<'UpdateWebsite', { changes: Partial<Omit<WebsiteDetails, 'organizationId'>> }>;
export type DeleteWebsite = Command<'DeleteWebsite', object>;

type Website =
  | { readonly status: 'absent' | 'deleted' }
  | { readonly status: 'active'; readonly details: WebsiteRegistered['data'] };

export const website = decider<Website, WebsiteCommand, WebsiteEvent>({
  initial: { status: 'absent' },

  decide: {
    RegisterWebsite({ status }, command) {
      if (status !== 'absent') throw new Rejection('WEBSITE_EXISTS');
      const timezone = supportedZone(command.timezone);
      if (timezone === undefined) throw new Rejection('TIMEZONE_UNKNOWN', 'timezone');
      return [{ type: 'WebsiteRegistered', data: { ...command, timezone, ...hostsOf(command) } }];
    },
    UpdateWebsite(state, { changes }) {
      const details = existing(state);
      const { timezone = details.timezone, ...settings } = changes;
      if (!isSameZone(timezone, details.timezone)) throw new Rejection('TIMEZONE_FIXED', 'timezone');
      const data = applyChanges(details, { ...settings, ...hostsOf({ ...details, ...settings }) });
      return data ? [{ type: 'WebsiteUpdated', data }] : [];
    },
    DeleteWebsite: (state) => [{ type: 'WebsiteDeleted', data: existing(state) }],
  },

  evolve: {
    WebsiteRegistered: (_, data) => ({ status: 'active', details: data }),
    WebsiteUpdated: (_, data) => ({ status: 'active', details: omit(data, 'before') }),
    WebsiteDeleted: () => ({ status: 'deleted' }),
  },
});

function existing(state: Website): WebsiteRegistered['data'] {
  if (state.status !== 'active') throw new Rejection('WEBSITE_NOT_FOUND');
  return state.details;
}

const isSameZone = (one: string, other: string): boolean => one === other || zoneNamed(one) === zoneNamed(other);

const hostsOf = ({ domain, allowedOrigins }: Pick<WebsiteDetails, 'domain' | 'allowedOrigins'>) => ({
  domain: hostOf(domain, 'domain'),
  allowedOrigins: [...new Set(allowedOrigins.map((origin) => hostOf(origin, 'allowedOrigins')))],
});

function hostOf(text: string, field: string): string {
  const name = domainNameOf(text);
  if (name === undefined) throw new Rejection('DOMAIN_INVALID', field);
  return name;
}
