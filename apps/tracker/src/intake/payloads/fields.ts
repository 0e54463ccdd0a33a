import { MAX_REVISION } from '@ledgerline/contracts/events/event-id';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { MAX_ID } from '@ledgerline/contracts/intake-limits';
import { Ajv, type ErrorObject } from 'ajv';
import { BadItem } from './payload';

/** One field of an item: its JSON schema, and the type of a value that fits it. */
interface Field<Value> {
  readonly schema: object;
  readonly isRequired?: boolean;
  readonly value?: Value;
}

type Fields = Readonly<Record<string, Field<unknown>>>;

type ValuesOf<Table extends Fields> = {
  readonly [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value : never;
};

/** Clients send null for what they do not have; it counts as absent everywhere. */
type Optional<Value> = Field<Value | null | undefined>;

export const text: Optional<string> = { schema: { type: ['string', 'null'] } };
export const number: Optional<number> = { schema: { type: ['number', 'null'] } };
export const revision: Optional<number> = {
  schema: { type: ['integer', 'null'], minimum: 0, maximum: MAX_REVISION },
};
export const anything: Field<unknown> = { schema: {} };
export const requiredText: Field<string> = { schema: { type: 'string' }, isRequired: true };
export const requiredAmount: Field<number> = { schema: { type: 'number', minimum: 0 }, isRequired: true };
export const requiredOneOf = <Value extends string>(values: readonly Value[]): Field<Value> => ({
  schema: { enum: values },
  isRequired: true,
});

/** The same for each of these names. */
export const each = <Name extends string, Value>(names: readonly Name[], field: Field<Value>) =>
  Object.fromEntries(names.map((name) => [name, field])) as Record<Name, Field<Value>>;

/**
 * An id a client makes: cutting it would make two of one, so a longer one is refused. TRICKY: nothing in the pattern may
 * match the same white space twice, or a body full of it keeps the process busy for minutes.
 */
const id: Optional<string> = {
  schema: { type: ['string', 'null'], pattern: `^\\s*(?:[A-Za-z0-9._-]{1,${MAX_ID.visitor}}\\s*)?$` },
};
const opaque = (maxLength: number): Optional<string> => ({ schema: { type: ['string', 'null'], maxLength } });
const timestamp: Optional<number | string> = { schema: { type: ['integer', 'string', 'null'] } };
const anonymize: Optional<boolean | 'auto'> = { schema: { enum: [true, false, 'auto', null] } };

/** The fields every item may have. */
const COMMON = {
  eventId: opaque(MAX_ID.event),
  timestamp,
  anonymousId: id,
  sessionId: id,
  profileId: opaque(MAX_ID.profile),
  websiteId: opaque(MAX_ID.website),
  anonymizeVisitorIds: anonymize,
};

export type CommonValues = ValuesOf<typeof COMMON>;

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: false });

/**
 * Compiles the check of one type of item: the common fields and its own; unknown fields are let through. The check throws
 * a BadItem that names every wrong field.
 */
export function itemSchema<Own extends Fields>(own: Own): (raw: unknown) => CommonValues & ValuesOf<Own> {
  const fields = Object.entries<Field<unknown>>({ ...COMMON, ...own });
  const validate = ajv.compile<CommonValues & ValuesOf<Own>>({
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  });
  return (raw) => {
    if (validate(raw)) return raw;
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
