import type { Website } from '@ledgerline/contracts/records';
import { Problem, type ErrorCode, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { may } from '@ledgerline/domain/access/permissions';
import { refuse, type IntakeContext, type IntakeDeps, type Item } from './intake-context';

/** Which website each item is about, and whether the caller may send events for it. */
export function identifyWebsite(
  context: IntakeContext,
  { registry }: Pick<IntakeDeps, 'registry'>,
): Promise<void> | undefined {
  const pending: Promise<void>[] = [];
  for (const item of [...context.items]) {
    const id = item.payload.websiteId ?? context.request.websiteId;
    const website = id === null ? null : registry.website(id);
    if (website instanceof Promise) pending.push(website.then((found) => assign(context, item, found)));
    else assign(context, item, website);
  }
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

/** `null` = no website was named, `undefined` = there is none of that id. */
function assign(context: IntakeContext, item: Item, website: Website | null | undefined): void {
  const { caller } = context;
  if (website === undefined && item.payload.websiteId === null) throw unknownWebsite(caller);
  if (caller === null) assignByWebsite(context, item, website);
  else if (website === undefined) refuse(context, item, ...UNKNOWN_TO_KEY);
  else assignByKey(context, item, website, caller);
}

function assignByWebsite(context: IntakeContext, item: Item, website: Website | null | undefined): void {
  if (website === null) throw unidentified(context.request.route.unidentified);
  if (website === undefined) {
    refuse(context, item, ...UNKNOWN);
    return;
  }
  item.website = website;
  item.organizationId = website.organizationId;
}

function assignByKey(context: IntakeContext, item: Item, website: Website | null, caller: KeyCaller): void {
  const organizationId = website?.organizationId ?? caller.organizationId;
  const ofNoWebsite = website === null && item.payload.facts.type !== 'CustomEventTracked';
  if (!may(caller, 'events:track', { organizationId, websiteId: website?.id })) refuse(context, item, ...FORBIDDEN);
  else if (ofNoWebsite) refuse(context, item, ...NO_WEBSITE);
  else {
    item.website = website;
    item.organizationId = organizationId;
  }
}

const unidentified = (code: ErrorCode): Problem =>
  code === 'AUTH_REQUIRED'
    ? new Problem(code, 'Authentication required')
    : new Problem(code, 'client_id is missing', [{ field: 'client_id', message: 'is missing' }]);

const unknownWebsite = (caller: KeyCaller | null): Problem =>
  new Problem(caller === null ? 'VALIDATION_ERROR' : 'NOT_FOUND', 'client_id is no website', [
    { field: 'client_id', message: 'is no website' },
  ]);

const because = (code: ErrorCode, message: string): [ErrorCode, FieldError] => [code, { field: 'websiteId', message }];

const UNKNOWN = because('VALIDATION_ERROR', 'is no website');
const UNKNOWN_TO_KEY = because('NOT_FOUND', 'is no website');
const FORBIDDEN = because('FORBIDDEN', 'is not within the permissions of the key');
const NO_WEBSITE = because('VALIDATION_ERROR', 'is missing');
