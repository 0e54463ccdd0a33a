import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { EARLIEST_TIME, MAX_AHEAD_MS, MAX_BROWSER_AGE_MS, MAX_ID } from '@ledgerline/contracts/intake-limits';
import { COMMON, type Fields, type OwnField, schemaOf } from '@ledgerline/contracts/tracking-items';
import { Ajv, type ErrorObject } from 'ajv';
import { cleanId } from '../parse';
import type { IntakeContext, IntakeRequest, Item, Payload } from './intake-context';
import { BadItem, fieldReader, readTime, type Kept, type RawItem } from './read-field';

/** Reads every item of the body; bad ones are put aside with their reasons. */
export function parseItems(context: IntakeContext): void {
  const { request } = context;
  const { maxItems } = request.route;
  const raw = Array.isArray(request.body) ? (request.body as unknown[]) : [request.body];
  if (raw.length > maxItems) throw tooMany(maxItems);
  const read = raw.flatMap((each, index) => {
    const payload = orRefused(context, each, index, () => request.route.read(each));
    return payload ? [{ index, payload }] : [];
  });
  const ahead = request.secret === null ? clockAhead(request, read) : 0;
  for (const { index, payload } of read)
    orRefused(context, raw[index], index, () => context.items.push(itemOf(index, payload, ahead, request)));
}

/** Undefined for an item that is put aside. */
function orRefused<Result>(
  context: IntakeContext,
  raw: unknown,
  index: number,
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadItem)) throw error;
    context.refused.push({ index, eventId: eventIdOf(raw), code: 'VALIDATION_ERROR', errors: error.errors });
    return undefined;
  }
}

/** @throws BadItem */
function itemOf(index: number, payload: Payload, ahead: number, { receivedAt, secret }: IntakeRequest): Item {
  const at = payload.at === null ? receivedAt : payload.at - ahead;
  const wrong = checkTime(at, receivedAt, secret !== null);
  if (wrong) throw new BadItem([wrong]);
  return { index, payload, at, ...UNKNOWN };
}

/**
 * By how much the clock of a browser is ahead of ours, in ms. Where the request does not say when it was sent, that is
 * unknown unless its newest time is impossible; then that event happened just now.
 */
function clockAhead({ sentAt, receivedAt }: IntakeRequest, read: readonly { readonly payload: Payload }[]): number {
  const newest = Math.max(...read.map(({ payload }) => payload.at ?? -Infinity));
  if (newest === -Infinity) return 0;
  if (sentAt !== null) return Math.max(sentAt, newest) - receivedAt;
  return newest > receivedAt || newest < receivedAt - MAX_BROWSER_AGE_MS ? newest - receivedAt : 0;
}

const UNKNOWN = {
  website: null,
  organizationId: '',
  visitorId: null,
  sessionId: null,
  profileHash: null,
  profile: null,
  event: null,
  identification: null,
};

/** Only requests with a key may send events of the distant past. */
function checkTime(at: number, now: number, withKey: boolean): FieldError | undefined {
  if (at > now + MAX_AHEAD_MS) return { field: 'timestamp', message: 'must not be more than an hour in the future' };
  if (withKey && at < EARLIEST_TIME) return { field: 'timestamp', message: 'must not be before the year 2000' };
  if (!withKey && at < now - MAX_BROWSER_AGE_MS)
    return { field: 'timestamp', message: 'must not be older than 7 days' };
  return undefined;
}

const tooMany = (max: number) =>
  new Problem('VALIDATION_ERROR', `A request must not have more than ${max} items.`, [
    { field: 'body', message: `must not have more than ${max} items` },
  ]);

function eventIdOf(raw: unknown): string | null {
  const eventId = raw !== null && typeof raw === 'object' && 'eventId' in raw ? raw.eventId : null;
  return typeof eventId === 'string' && eventId.length <= MAX_ID.event ? eventId : null;
}

/**
 * Reads items of one type by the table of their fields: `build` makes the facts of what is kept of them. The reader
 * throws a BadItem with every field that has not its form, or with the first that cannot be read.
 */
export function itemReader<Table extends Fields<OwnField>>(
  table: Table,
  build: (kept: Kept<Table>) => Pick<Payload, 'kind' | 'facts'>,
): (item: unknown) => Payload {
  const check = formCheck({ ...COMMON, ...table });
  const fields = Object.entries<OwnField>(table).map(([name, field]) => ({ name, read: fieldReader(field) }));
  return (item) => {
    const raw = check(item);
    const kept: Record<string, unknown> = {};
    for (const { name, read } of fields) kept[name] = read(raw[name], name, raw);
    const { kind, facts } = build(kept as Kept<Table>); // by the readers of just these fields
    return {
      kind,
      clientEventId: cleanId(raw.eventId, MAX_ID.event),
      revision: typeof kept.revision === 'number' ? kept.revision : null,
      at: readTime(raw.timestamp),
      websiteId: cleanId(raw.websiteId, MAX_ID.website),
      anonymousId: cleanId(raw.anonymousId, MAX_ID.visitor),
      profileId: cleanId(raw.profileId, MAX_ID.profile),
      sessionId: cleanId(raw.sessionId, MAX_ID.visitor),
      recognisable: raw.anonymizeVisitorIds === false,
      facts,
    };
  };
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: false });

/** Gives an item back that is an object with all required fields, each of its form. @throws BadItem */
function formCheck(table: Fields): (item: unknown) => RawItem {
  const fields = Object.entries(table);
  const validate = ajv.compile<RawItem>({
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, field.isLenient ? {} : schemaOf(field)])),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  });
  return (item) => {
    if (validate(item)) return item;
    throw new BadItem((validate.errors ?? []).map(fieldError));
  };
}

function fieldError({ instancePath, keyword, params, message }: ErrorObject): FieldError {
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'required')
    return { field: (params as { missingProperty: string }).missingProperty, message: 'is missing' };
  if (keyword === 'enum') return { field: path, message: `must be one of ${namesIn(params)}` };
  if (keyword === 'pattern') return { field: path, message: `must be at most ${MAX_ID.visitor} of A-Z a-z 0-9 . _ -` };
  const reason = (message ?? 'is wrong').replace(/^must NOT have/, 'must not have').replace(/,null$/, '');
  return { field: path === '' ? 'item' : path, message: reason.replaceAll(',', ' or ') };
}

const namesIn = (params: object): string =>
  (params as { allowedValues: (string | boolean | null)[] }).allowedValues.filter((value) => value !== null).join(' ');
