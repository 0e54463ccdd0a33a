import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { WebsiteDetails, WebsiteEvent, WebsiteRegistered } from '@ledgerline/contracts/events/organization.events';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import { type RecordLifecycle, requireExisting, type Command, applyChanges, decider, omit } from '../decider';
import { supportedZone, zoneNamed } from '../time/zones';

export type WebsiteCommand = RegisterWebsite | UpdateWebsite | DeleteWebsite;
export type RegisterWebsite = Command<'RegisterWebsite', WebsiteRegistered['data']>;
/** A timezone is accepted when it is the one the website has. */
export type UpdateWebsite = Command<'UpdateWebsite', { changes: Partial<Omit<WebsiteDetails, 'organizationId'>> }>;
export type DeleteWebsite = Command<'DeleteWebsite', object>;

type Website = RecordLifecycle<WebsiteRegistered['data']>;

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
      const details = requireExisting(state, 'WEBSITE_NOT_FOUND');
      const { timezone = details.timezone, ...settings } = changes;
      if (!isSameZone(timezone, details.timezone)) throw new Rejection('TIMEZONE_FIXED', 'timezone');
      const data = applyChanges(details, { ...settings, ...hostsOf({ ...details, ...settings }) });
      return data ? [{ type: 'WebsiteUpdated', data }] : [];
    },
    DeleteWebsite: (state) => [{ type: 'WebsiteDeleted', data: requireExisting(state, 'WEBSITE_NOT_FOUND') }],
  },

  evolve: {
    WebsiteRegistered: (_, data) => ({ status: 'present', details: data }),
    WebsiteUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    WebsiteDeleted: () => ({ status: 'deleted' }),
  },
});

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

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The host name in what people type for a domain, in lower case and without scheme, port or path; international names
 * in their ASCII form. Undefined when there is none.
 */
export function domainNameOf(text: string): string | undefined {
  const typed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  const url = /^https?:/i.test(address) ? parseUrl(address) : null;
  if (url === null) return undefined;
  const { hostname, username } = url;
  const name = normalHost(hostname);
  return username === '' && isHostName(name) ? name : undefined;
}

const isHostName = (name: string): boolean => name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
