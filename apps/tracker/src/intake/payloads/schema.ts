import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { cleanText } from '../../parse/text';
import { bad, BadItem, type Facts, type Payload } from './payload';

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: false });

/** Clients send null for what they do not know; it counts as absent everywhere. */
export const text = { type: ['string', 'null'] } as const;
export const number = { type: ['number', 'null'] } as const;
/**
 * An id a client makes: cutting it would make two of one, so a longer one is refused. TRICKY: nothing in the pattern may
 * match the same white space twice, or a body full of it keeps the process busy for minutes.
 */
const id = { type: ['string', 'null'], pattern: '^\\s*(?:[A-Za-z0-9_-]{1,256}\\s*)?$' } as const;
const opaque = (maxLength: number) => ({ type: ['string', 'null'], maxLength }) as const;

const COMMON = {
  eventId: opaque(512),
  timestamp: { type: ['integer', 'string', 'null'] },
  anonymousId: id,
  sessionId: id,
  profileId: opaque(128),
  websiteId: opaque(128),
  anonymizeVisitorIds: { enum: [true, false, 'auto', null] },
} as const;

/** The fields every event may have. */
export interface CommonFields {
  readonly eventId?: string | null;
  readonly timestamp?: number | string | null;
  readonly anonymousId?: string | null;
  readonly sessionId?: string | null;
  readonly profileId?: string | null;
  readonly websiteId?: string | null;
  readonly anonymizeVisitorIds?: boolean | 'auto' | null;
}

/** Compiles the check of one type of item: the common fields and its own; unknown fields are let through. */
export function itemSchema<Own>(own: object, required: readonly (keyof Own & string)[]): Check<Own> {
  const properties = { ...COMMON, ...own };
  const validate = ajv.compile<CommonFields & Own>({ type: 'object', properties, required: [...required] });
  return (raw) => checked(validate, raw);
}

/** @throws BadItem naming every wrong field */
export type Check<Own> = (raw: unknown) => CommonFields & Own;

function checked<T>(validate: ValidateFunction<T>, raw: unknown): T {
  if (validate(raw)) return raw;
  throw new BadItem((validate.errors ?? []).map(fieldError));
}

function fieldError({ instancePath, keyword, params, message }: ErrorObject): FieldError {
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'required')
    return { field: (params as { missingProperty: string }).missingProperty, message: 'is missing' };
  if (keyword === 'enum') return { field: path, message: `must be one of ${namesIn(params)}` };
  if (keyword === 'pattern') return { field: path, message: 'must be at most 256 of A-Z a-z 0-9 _ -' };
  const reason = (message ?? 'is wrong').replace(/^must NOT have/, 'must not have').replace(/,null$/, '');
  return { field: path === '' ? 'item' : path, message: reason.replaceAll(',', ' or ') };
}

const namesIn = (params: object): string =>
  (params as { allowedValues: (string | boolean | null)[] }).allowedValues.filter((value) => value !== null).join(' ');

/** A payload of the common fields and the facts of its own type. @throws BadItem for a time that cannot be read */
export function payloadOf(kind: string, raw: CommonFields, facts: Facts): Payload {
  return {
    kind,
    clientEventId: cleanText(raw.eventId, 512),
    at: readTime(raw.timestamp),
    websiteId: cleanText(raw.websiteId, 128),
    anonymousId: cleanText(raw.anonymousId, 256),
    profileId: cleanText(raw.profileId, 128),
    sessionId: cleanText(raw.sessionId, 256),
    recognisable: raw.anonymizeVisitorIds === false,
    facts,
  };
}

function readTime(value: CommonFields['timestamp']): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return value;
  const at = /^\d{4}-\d{2}-\d{2}/.test(value.trim()) ? Date.parse(value.trim()) : NaN;
  if (Number.isNaN(at)) throw bad('timestamp', 'must be epoch milliseconds or an ISO 8601 time');
  return at;
}
