import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { may } from '@ledgerline/domain/access/permissions';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { authRequired, forbidden, invalid } from '../../http/problems';
import type { QueryCall } from './ask';

/** What is asked about, as far as the caller may know it. */
export interface Subject {
  readonly about: 'website' | 'link';
  readonly id: string;
  /** The zone of its own days. */
  readonly zone: string;
  readonly visitorIdentity: string;
  /** True for a public website's visitor, who is answered public types alone. */
  readonly publicOnly: boolean;
}

/**
 * The website or link a caller may ask about. One that does not exist answers like one the caller may not see.
 * @throws Problem AUTH_REQUIRED, FORBIDDEN, or VALIDATION_ERROR unless exactly one is named
 */
export function subjectOf({ caller, websiteId, linkId }: QueryCall, registry: Registry): Subject {
  const refusal = caller.kind === 'anonymous' ? authRequired : forbidden;
  if ((websiteId === undefined) === (linkId === undefined) || !isText(websiteId ?? linkId)) throw namesNotOne();
  const subject = isText(websiteId) ? websiteFor(caller, websiteId, registry) : linkFor(caller, linkId, registry);
  if (!subject) throw refusal();
  return subject;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function namesNotOne(): Problem {
  const message = 'Exactly one of website_id and link_id must be in the query string.';
  return invalid([
    { field: 'website_id', message },
    { field: 'link_id', message },
  ]);
}

function websiteFor(caller: Caller, id: string, registry: Registry): Subject | undefined {
  const website = registry.website(id);
  if (!website) return undefined;
  const mayRead = may(caller, 'websites:read', { organizationId: website.organizationId, websiteId: id });
  if (!mayRead && !website.isPublic) return undefined;
  const { timezone: zone, visitorIdentity } = website;
  return { about: 'website', id, zone, visitorIdentity, publicOnly: !mayRead };
}

function linkFor(caller: Caller, id: unknown, registry: Registry): Subject | undefined {
  const link = isText(id) ? registry.link(id) : undefined;
  if (!link || !may(caller, 'links:read', { organizationId: link.organizationId })) return undefined;
  return { about: 'link', id: link.id, zone: 'UTC', visitorIdentity: 'daily', publicOnly: false };
}
