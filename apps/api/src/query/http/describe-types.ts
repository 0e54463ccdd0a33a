import { ApiOkResponse } from '@nestjs/swagger';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { PRESETS } from '@ledgerline/domain/query/date-range';
import { arraySchema, object, text, whole, yes } from '../../http/record.dto';
import {
  figuresOf,
  minSamplesOf,
  type ResultField,
  type ResultFields,
  SIGNIFICANT_DIGITS,
} from '../declaration/fields';
import { isComparable, QUERY_ABOUT, type QueryType } from '../declaration/query-type';
import { readsOfType } from '../execution/executors';
import { DEFAULT_LIMIT } from '../request/query-request.dto';
import { CATALOGUE } from '../types/catalogue';
import { META } from './query-schemas';

/** The body of `GET /v1/query/types`. */
export const describeTypes = () => ({
  success: true as const,
  types: CATALOGUE.map(({ name }) => name),
  configs: Object.fromEntries(CATALOGUE.map((type) => [type.name, describe(type)])),
  presets: PRESETS,
});

function describe(type: QueryType) {
  const { about, takes, shape, sources } = type;
  const alsoAbout = sources.own?.alsoAbout;
  const minimum = minSamplesOf(type);
  return {
    about,
    ...(alsoAbout ? { alsoAbout } : {}),
    meaning: type.description,
    category: type.category,
    fields: Object.entries(type.fields).map(([name, { type, unit }]) => ({ name, type, ...(unit ? { unit } : {}) })),
    allowedFilters: takes.filters,
    ...aggregatesOf(type),
    ...(takes.ids.length > 0 ? { requiredFilters: takes.ids } : {}),
    ...(takes.options.length > 0 ? { options: takes.options } : {}),
    ...(takes.needs.length > 0 ? { requiredOptions: takes.needs } : {}),
    ...(takes.example ? { example: takes.example } : {}),
    ...(shape === 'series' ? { granularity: ['hourly', 'daily', 'weekly', 'monthly'] satisfies Granularity[] } : {}),
    ...accuracyOf(type),
    ...(minimum ? { minimum: { of: minimum.of, default: minimum.byDefault } } : {}),
    defaultLimit: DEFAULT_LIMIT,
    comparable: isComparable(type),
    publicAccess: type.publicAccess,
  };
}

/** Returns what its figures count, as data. */
function aggregatesOf({ counting }: QueryType): { readonly aggregates?: readonly object[] } {
  const aggregates = (counting && readsOfType(counting)?.aggregates) ?? [];
  return aggregates.length > 0
    ? { aggregates: aggregates.map(({ of, by, where, only, measures }) => ({ of, by, where, only, measures })) }
    : {};
}

/** The relative error of the fields that are not exact. */
function accuracyOf({ fields }: QueryType): { readonly accuracy?: Readonly<Record<string, number>> } {
  const errors = Object.entries(fields).flatMap(([name, { accuracy }]) =>
    accuracy ? [[name, accuracy] as const] : [],
  );
  return errors.length > 0 ? { accuracy: Object.fromEntries(errors) } : {};
}

const TYPES: Readonly<Record<ResultField['type'], object>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  timestamp: { type: 'string', format: 'date-time' },
  array: { type: 'array', items: { type: 'object', additionalProperties: true } },
  object: { type: 'object', additionalProperties: true },
};

/** `top_pages` → `TopPages`. */
const pascal = (name: string): string =>
  name
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

type NamedSchema = readonly [name: string, schema: object];

/** Returns for every query type the schema of its rows and of its entry in an answer, made from its fields. */
export const rowSchemas = (): Readonly<Record<string, object>> => ({
  ...Object.fromEntries(CATALOGUE.flatMap((type) => [rowOf(type), entryOf(type)])),
  QueryTypeName: { type: 'string', enum: CATALOGUE.map(({ name }) => name), description: 'Name of a query type' },
  QueryTypeOptions: {
    ...object(Object.fromEntries(CATALOGUE.filter((type) => optionsOf(type).length > 0).map(optionsSchema))),
    description: 'By the query types that have some: the options that their parameters take beside those of all',
  },
  QueryMeta: META,
  QueryEntry: {
    description: 'The answer to one parameter; its rows are those of the query type that `parameter` names',
    oneOf: CATALOGUE.map(({ name }) => refer(`${pascal(name)}Entry`)),
    discriminator: {
      propertyName: 'parameter',
      mapping: Object.fromEntries(CATALOGUE.map(({ name }) => [name, `#/components/schemas/${pascal(name)}Entry`])),
    },
  },
});

const optionsOf = (type: QueryType): readonly string[] => [
  ...type.takes.options,
  ...(minSamplesOf(type) ? ['minSamples'] : []),
  ...(type.range === 'minutes' ? ['minutes'] : []),
];

const optionsSchema = (type: QueryType): NamedSchema => [type.name, { type: 'string', enum: optionsOf(type) }];

function rowOf(type: QueryType): NamedSchema {
  const fields = objectWith(type.fields);
  return [
    `${pascal(type.name)}Row`,
    {
      ...fields,
      description: type.description,
      properties: { ...fields.properties, ...(isComparable(type) ? comparisonOf(type) : {}) },
    },
  ];
}

const objectWith = (fields: ResultFields) =>
  object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])));

/** Returns what `compare` adds to a row. */
function comparisonOf(type: QueryType): Readonly<Record<string, object>> {
  const figures = figuresOf(type);
  const compared = (description: string, of: (figure: string) => object) => ({
    ...object(Object.fromEntries(figures.map((figure) => [figure, of(figure)]))),
    description,
  });
  const field = (figure: string) => type.fields[figure] ?? { type: 'number' as const };
  return {
    previous: compared('The same figures of the earlier range', (figure) => schemaOf(field(figure))),
    change_percent: compared('By how many percent they changed; null where the earlier figure is 0', () => ({
      type: ['number', 'null'],
    })),
  };
}

const entryOf = ({ name }: QueryType): NamedSchema => [
  `${pascal(name)}Entry`,
  {
    type: 'object',
    properties: {
      parameter: { type: 'string', const: name },
      id: { type: 'string', description: 'The id of a parameter that has one' },
      success: { type: 'boolean' },
      error: { type: 'string', description: 'Why this parameter alone could not be answered' },
      code: {
        type: 'string',
        enum: ['REBUILDING', 'TOO_LARGE'],
        description: 'While its tables are filled after an upgrade; where it needs more memory than questions may hold',
      },
      progress: { type: 'number', description: 'With `REBUILDING`: how much of them is filled, from 0 to 1' },
      data: { type: 'array', description: 'Empty without success', items: refer(`${pascal(name)}Row`) },
    },
    required: ['parameter', 'success', 'data'],
  },
];

function schemaOf({ type, unit, nullable, values, items, of }: ResultField): object {
  const schema = TYPES[type] as { readonly type: string };
  return {
    ...schema,
    ...(nullable ? { type: [schema.type, 'null'] } : {}),
    ...(values ? { enum: nullable ? [...values, null] : values } : {}),
    ...(items ? { items: objectWith(items) } : {}),
    ...(of ? { items: TYPES[of] } : {}),
    ...(unit ? { description: `In ${unit}` } : {}),
  };
}

/** The schema of what is described of a type. */
export const CONFIG = object(
  {
    about: { ...text, enum: QUERY_ABOUT },
    alsoAbout: { ...text, enum: QUERY_ABOUT, description: 'What else it can be asked of' },
    meaning: text,
    category: text,
    fields: arraySchema(object({ name: text, type: text, unit: text }, 'unit')),
    aggregates: {
      ...arraySchema({ type: 'object', additionalProperties: true }),
      description: 'What its figures count: rows of sessions (`of`), conditions, keys and measures',
    },
    allowedFilters: arraySchema(text),
    requiredFilters: { ...arraySchema(text), description: 'Filters without which the type cannot be asked' },
    options: { ...arraySchema(text), description: 'What its parameter may have beside a range and a limit' },
    requiredOptions: { ...arraySchema(text), description: 'Of these what it must have' },
    example: { type: 'object', additionalProperties: true, description: 'Options that it can be asked with' },
    granularity: arraySchema(text),
    accuracy: {
      type: 'object',
      additionalProperties: { type: 'number' },
      description: `The relative error of fields that are not exact, before they are rounded to ${SIGNIFICANT_DIGITS} significant digits`,
    },
    minimum: {
      ...object({ of: text, default: whole }),
      description: 'Rows with less of this field are left out; a query may set another minimum than the default',
    },
    defaultLimit: whole,
    comparable: { ...yes, description: 'False if `compare` is ignored' },
    publicAccess: yes,
  },
  'alsoAbout',
  'aggregates',
  'requiredFilters',
  'options',
  'requiredOptions',
  'example',
  'granularity',
  'accuracy',
  'minimum',
);

export const ApiQueryTypes = () =>
  ApiOkResponse({
    schema: object({
      success: yes,
      types: arraySchema(text),
      configs: { type: 'object', additionalProperties: CONFIG },
      presets: arraySchema(text),
    }),
  });
