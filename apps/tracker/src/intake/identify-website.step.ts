import { Problem, type ErrorCode, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { mayTrack, type KeyCaller } from '@ledgerline/domain/access/caller';
import type { Website } from '@ledgerline/domain/registry/registry';
import { refuse, type Delivery, type Item } from './delivery';
import type { Tools } from './tools';

/** Which website each item is about, and whether the caller may send events for it. */
export function identifyWebsite(delivery: Delivery, { registry }: Pick<Tools, 'registry'>): Promise<void> | undefined {
  const pending: Promise<void>[] = [];
  for (const item of [...delivery.items]) {
    const id = item.payload.websiteId ?? delivery.request.websiteId;
    const website = id === null ? null : registry.website(id);
    if (website instanceof Promise) pending.push(website.then((found) => assign(delivery, item, found)));
    else assign(delivery, item, website);
  }
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

/** `null` = no website was named, `undefined` = there is none of that id. */
function assign(delivery: Delivery, item: Item, website: Website | null | undefined): void {
  const { caller } = delivery;
  if (website === undefined && item.payload.websiteId === null) throw unknownWebsite(caller);
  if (caller === null) assignByWebsite(delivery, item, website);
  else if (website === undefined) refuse(delivery, item, ...UNKNOWN_TO_KEY);
  else assignByKey(delivery, item, website, caller);
}

function assignByWebsite(delivery: Delivery, item: Item, website: Website | null | undefined): void {
  if (website === null) throw nobody(delivery.request.route.nobody);
  if (website === undefined) {
    refuse(delivery, item, ...UNKNOWN);
    return;
  }
  item.website = website;
  item.organizationId = website.organizationId;
}

function assignByKey(delivery: Delivery, item: Item, website: Website | null, caller: KeyCaller): void {
  const organizationId = website?.organizationId ?? caller.organizationId;
  const ofNoWebsite = website === null && item.payload.facts.type !== 'CustomEventTracked';
  if (!mayTrack(caller, organizationId, website?.id ?? null)) refuse(delivery, item, ...FORBIDDEN);
  else if (ofNoWebsite) refuse(delivery, item, ...NO_WEBSITE);
  else {
    item.website = website;
    item.organizationId = organizationId;
  }
}

const nobody = (code: ErrorCode): Problem =>
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
