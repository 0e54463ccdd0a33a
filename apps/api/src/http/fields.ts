import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import {
  MAX_ADDRESS_LENGTH,
  NO_ADDRESS,
  isReservedSlug,
  isSlug,
  isWebAddress,
  pastedAddress,
  wrongInAddress,
} from '@ledgerline/domain/links/link-addresses';
import { normalText } from '@ledgerline/domain/normal-forms';
import { parseInstant } from '@ledgerline/domain/time/instant';
import { isZone } from '@ledgerline/domain/time/zones';
import { domainNameOf } from '@ledgerline/domain/websites/website.decider';

const MAX_EMAIL_LENGTH = 254;

interface FieldOptions {
  readonly description: string;
  readonly example?: string;
  /** May be left out. */
  readonly optional?: boolean;
  /** May be null; null means the same as leaving it out. */
  readonly nullable?: boolean;
}

const trimmed = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' ? normalText(value.trim()) : value;

/** Marks that turn the direction of a text, so that it looks like another one. */
const BIDIRECTIONAL = /\p{Bidi_Control}/gu;

export const inOneDirection = (text: string): string => text.replace(BIDIRECTIONAL, '');

const presence = ({ optional, nullable }: FieldOptions): PropertyDecorator => {
  if (nullable) return IsOptional();
  return ValidateIf((_: unknown, value: unknown) => !(optional && value === undefined));
};

const documented = (options: FieldOptions, more: ApiPropertyOptions): PropertyDecorator => {
  const { description, example, optional = false, nullable = false } = options;
  const shown = { type: String, description, nullable, required: !(optional || nullable), ...more };
  return ApiProperty((example === undefined ? shown : { ...shown, example }) as ApiPropertyOptions);
};

interface TextOptions extends FieldOptions {
  /** The text may have several lines. */
  readonly multiline?: boolean;
  /** Compared with texts of others: it keeps its bidirectional marks. */
  readonly isCompared?: boolean;
}

/** A text of one line (or several), trimmed, in Unicode NFC, without control characters and bidirectional marks. */
export const Text = (min: number, max: number, options: TextOptions) =>
  applyDecorators(
    documented(options, { minLength: min, maxLength: max }),
    Transform(({ value }: { value: unknown }) =>
      trimmed({ value: typeof value === 'string' && !options.isCompared ? inOneDirection(value) : value }),
    ),
    presence(options),
    IsString(),
    Length(min, max),
    Matches(options.multiline ? /^[^\x01-\x08\x0b\x0c\x0e-\x1f\x7f]*$/u : /^\P{Cc}*$/u, {
      message: '$property must not hold control characters',
    }),
  );

/** The number of entries on a page of a list; the field's own default is the one given here. */
export const PageSize = (usual = 50, max = 200) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', default: usual, minimum: 1, maximum: max }),
    IsOptional(),
    Type(() => Number),
    IsInt(),
    Min(1),
    Max(max),
  );

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Absent: there is no default. */
  readonly default?: number;
}

/** A whole number, which may be left out or null. */
export const WholeNumber = ({ min, max, ...usual }: Bounds, description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', ...usual, description }),
    IsOptional(),
    IsInt(),
    Min(min),
    Max(max),
  );

/** One of some words, which may be left out or null. */
export const ChoiceField = (words: readonly string[], usual: string, description?: string) =>
  applyDecorators(
    ApiPropertyOptional({ enum: words, default: usual, ...(description && { description }) }),
    IsOptional(),
    IsIn(words),
  );

/** Yes or no, which may be left out or null. */
export const YesOrNo = (usual: boolean, description: string) =>
  applyDecorators(ApiPropertyOptional({ type: Boolean, description, default: usual }), IsOptional(), IsBoolean());

/** One of our own ids; whether it exists is decided later. */
export const Id = (description: string, { optional = false } = {}) =>
  applyDecorators(
    documented({ description, optional }, {}),
    presence({ description, optional }),
    IsString(),
    Length(1, 64),
  );

/** Kept as it is written; compared without regard to case. */
export const EmailAddress = (options: FieldOptions) =>
  applyDecorators(
    documented(options, { format: 'email', maxLength: MAX_EMAIL_LENGTH }),
    Transform(trimmed),
    presence(options),
    MaxLength(MAX_EMAIL_LENGTH),
    IsEmail(),
  );

export const WebAddress = ({
  maxLength = MAX_ADDRESS_LENGTH,
  ...options
}: FieldOptions & { readonly maxLength?: number }) =>
  applyDecorators(
    documented(options, { format: 'uri', maxLength }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? pastedAddress(value) : value)),
    presence(options),
    stringRule(
      'isWebAddress',
      (text) => isWebAddress(text, maxLength),
      (text) => wrongInAddress(text, maxLength) ?? NO_ADDRESS,
    ),
  );

export const Slug = (options: FieldOptions) =>
  applyDecorators(
    documented(options, { pattern: '^[A-Za-z0-9_-]{1,50}$' }),
    presence(options),
    stringRule('isSlug', isSlug, 'must be 1 to 50 of A–Z, a–z, 0–9, _ and -'),
    stringRule('isFreeSlug', (text) => !isReservedSlug(text), 'is a name the service uses itself'),
  );

export const DomainName = (options: FieldOptions) =>
  applyDecorators(
    documented(options, {}),
    Transform(trimmed),
    presence(options),
    stringRule('isDomain', (text) => domainNameOf(text) !== undefined, 'must be a domain such as example.com'),
  );

export const Zone = (options: FieldOptions) =>
  applyDecorators(
    documented(options, {}),
    presence(options),
    stringRule('isZone', isZone, 'must be a time zone such as Europe/Berlin'),
  );

/** A time, written with its zone; becomes UTC. */
export const Instant = (options: FieldOptions) =>
  applyDecorators(
    documented(options, { format: 'date-time' }),
    Transform(({ value }: { value: unknown }) => {
      const at = instantOf(value);
      return at === undefined ? value : new Date(at).toISOString();
    }),
    presence(options),
    stringRule(
      'isInstant',
      (text) => instantOf(text) !== undefined,
      'must be a time that exists, such as 2030-01-31T12:00:00Z',
    ),
  );

export const FutureInstant = (options: FieldOptions) =>
  applyDecorators(
    Instant(options),
    stringRule('isFuture', (text) => (instantOf(text) ?? Infinity) > Date.now(), 'must lie in the future'),
  );

const instantOf = (value: unknown): number | undefined =>
  typeof value === 'string' && /^[^T]*T.*(Z|[+-]\d{2}:\d{2})$/.test(value) ? parseInstant(value) : undefined;

/** A rule for strings; any other value breaks it. */
export const stringRule = (
  name: string,
  rule: (text: string) => boolean,
  otherwise: string | ((text: string) => string),
  options?: ValidationOptions,
) => {
  const reason = (value: unknown) =>
    typeof otherwise === 'string' ? otherwise : otherwise(typeof value === 'string' ? value : '');
  const validator = {
    validate: (value: unknown) => typeof value === 'string' && rule(value),
    defaultMessage: (field?: ValidationArguments) =>
      `${options?.each ? 'each value in ' : ''}$property ${reason(field?.value)}`,
  };
  return ValidateBy({ name, validator }, options);
};

/** Holds for what is at most so long as JSON. */
export const isShort = (maxBytes: number, required = false) =>
  ValidateBy({
    name: 'isShort',
    constraints: [maxBytes],
    validator: {
      validate: (value: unknown) => {
        if (value === undefined || value === null) return !required;
        return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
      },
      defaultMessage: (field?: ValidationArguments) => `${field?.property} must be JSON of at most ${maxBytes} bytes`,
    },
  });

/** Only the fields that a request holds, which null is one of. */
export const sent = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  };

const MAX_NAME = 80;

/** Characters without a shape, among them those that turn the direction of a text around; not those that join letters and emoji. */
const INVISIBLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Characters that can be seen: joining characters alone are no name. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name that others have chosen, on one line, in one direction and not too long; empty where nothing of it can be seen. */
export function displayName(name: string): string {
  const shown = name.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  return VISIBLE.test(shown) ? cutText(shown, MAX_NAME) : '';
}

/** The beginning of a long text, without half of a character. */
export const cutText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…` : text;
