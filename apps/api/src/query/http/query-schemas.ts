import { COMPARISONS } from '@ledgerline/domain/query/comparison';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOkResponse, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { MAX_ANSWER_MIB } from '../execution/response';
import { SIGNIFICANT_DIGITS } from '../fields';
import { QUERY_ABOUT } from '../query-type';
import { MAX_PARAMETERS, MAX_REQUESTS, MAX_ROWS, ParameterDto, QueryRequestDto } from '../request/query-request.dto';

export const META = object(
  {
    parameters: list(text),
    total_parameters: whole,
    page: whole,
    limit: whole,
    filters_applied: whole,
    startDate: { ...text, format: 'date' },
    endDate: { ...text, format: 'date' },
    timezone: text,
    granularity: { ...text, enum: ['daily', 'hourly'] },
    visitorIdentity: { ...text, description: 'How long a visitor id stays the same' },
    asOf: { type: ['string', 'null'], format: 'date-time', description: 'Time of the newest event that is included' },
    lagMs: whole,
    notes: list(text),
    totals: {
      type: 'object',
      additionalProperties: whole,
      description: 'How many rows each list has in all, before paging; by parameter, and by the id of one that has it',
    },
    hidden: {
      type: 'object',
      additionalProperties: whole,
      description:
        'How many rows of a list, or of a series whose percentiles, `minSamples` leaves out, where any; named like totals',
    },
    compare: {
      ...object({
        period: { ...text, enum: COMPARISONS },
        startDate: { ...text, format: 'date' },
        endDate: { ...text, format: 'date' },
        until: {
          ...text,
          format: 'date-time',
          description: 'Within the last day if the range of the request is not over',
        },
      }),
      description: 'The earlier range, where figures are compared',
    },
  },
  'compare',
);

/** Each is a request about a website. */
const EXAMPLES = {
  several: {
    summary: 'Several query types at once',
    value: { parameters: ['summary_metrics', 'top_pages', 'top_referrers'], preset: 'last_30d', limit: 10 },
  },
  filtered: {
    summary: 'Filtered, with dates',
    value: {
      id: 'germany',
      parameters: ['country', { name: 'events_by_date', granularity: 'daily', id: 'chart' }],
      startDate: '2026-03-01',
      endDate: '2026-03-31',
      timezone: 'Europe/Berlin',
      filters: [{ field: 'country', op: 'eq', value: 'DE' }],
    },
  },
  batch: {
    summary: 'Two requests in one',
    value: [
      { id: 'today', parameters: ['today_metrics'] },
      { id: 'browsers', parameters: ['browser_name'], preset: 'last_7d' },
    ],
  },
};

const ANSWER = {
  queryId: text,
  data: list({ $ref: '#/components/schemas/QueryEntry' }),
  meta: { $ref: '#/components/schemas/QueryMeta' },
};

export const ApiAsk = () =>
  applyDecorators(
    ApiExtraModels(QueryRequestDto, ParameterDto),
    ApiQuery({
      name: 'website_id',
      type: String,
      required: false,
      description: 'The website to query; this, link_id or monitor_id',
    }),
    ApiQuery({
      name: 'link_id',
      type: String,
      required: false,
      description: 'The short link to query; this, website_id or monitor_id',
    }),
    ApiQuery({
      name: 'monitor_id',
      type: String,
      required: false,
      description: 'The monitor to query; this, website_id or link_id',
    }),
    ApiQuery({
      name: 'timezone',
      type: String,
      required: false,
      description: 'IANA name; overrides the one in the body',
    }),
    ApiHeader({
      name: 'X-Min-Position',
      required: false,
      description: 'An X-Log-Position: waits up to 2 s until it is included',
    }),
    ApiBody({
      description: `One request of up to ${MAX_PARAMETERS} query types, or up to ${MAX_REQUESTS} such requests`,
      schema: {
        oneOf: [
          { $ref: getSchemaPath(QueryRequestDto) },
          { type: 'array', minItems: 1, maxItems: MAX_REQUESTS, items: { $ref: getSchemaPath(QueryRequestDto) } },
        ],
      },
      examples: EXAMPLES,
    }),
    ApiOkResponse({
      description:
        'An entry for each parameter, in their order; CSV with `Accept: text/csv` and one parameter, without `limit` and ' +
        `\`page\` all rows up to ${MAX_ROWS}. The rows of a response are limited to ${MAX_ANSWER_MIB} MiB: an entry that ` +
        'would exceed them fails and says so, CSV of all rows ends there and says so.',
      headers: Object.fromEntries(
        ['X-Total-Rows', 'X-Hidden-Rows', 'X-Truncated'].map((name) => [
          name,
          { $ref: `#/components/headers/${name}` },
        ]),
      ),
      content: {
        'application/json': {
          schema: {
            oneOf: [
              object({ success: yes, ...ANSWER }),
              object({ success: yes, batch: yes, results: list(object(ANSWER)) }),
            ],
          },
        },
        'text/csv': { schema: text },
      },
    }),
  );

export const WEBSITE = object({
  id: text,
  name: text,
  domain: text,
  isPublic: yes,
  organizationId: text,
  createdAt: text,
});

export const ApiWebsites = () =>
  ApiOkResponse({
    schema: object({
      success: yes,
      websites: list(WEBSITE),
      total: whole,
    }),
  });

export const CONFIG = object(
  {
    about: { ...text, enum: QUERY_ABOUT },
    meaning: text,
    category: text,
    fields: list(object({ name: text, type: text, unit: text }, 'unit')),
    allowedFilters: list(text),
    requiredFilters: { ...list(text), description: 'Filters without which the type cannot be asked' },
    granularity: list(text),
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
  'requiredFilters',
  'granularity',
  'accuracy',
  'minimum',
);

export const ApiQueryTypes = () =>
  ApiOkResponse({
    schema: object({
      success: yes,
      types: list(text),
      configs: { type: 'object', additionalProperties: CONFIG },
      presets: list(text),
    }),
  });
