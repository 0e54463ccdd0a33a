import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOkResponse, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { GRANULARITIES } from '@ledgerline/domain/query/buckets';
import { COMPARISONS } from '@ledgerline/domain/query/comparison';
import { arraySchema, object, text, whole, yes } from '../../http/record.dto';
import { QUERY_TARGETS, type QueryTargetName } from '../declaration/query-type';
import {
  MAX_PARAMETERS,
  MAX_REQUESTS,
  MAX_ROWS,
  OverviewRequestDto,
  ParameterDto,
  QueryRequestDto,
} from '../request/query-request.dto';
import { MAX_ANSWER_MIB } from '../session-columns/memory-budget';

export const META = object(
  {
    parameters: arraySchema(text),
    total_parameters: whole,
    page: whole,
    limit: whole,
    filters_applied: whole,
    startDate: { ...text, format: 'date' },
    endDate: { ...text, format: 'date' },
    timezone: text,
    granularity: { ...text, enum: [...GRANULARITIES] },
    visitorIdentity: { ...text, description: 'How long a visitor id stays the same' },
    asOf: {
      ...text,
      format: 'date-time',
      description: 'Everything that was in the log by then is included, by the clock of the server; in whole seconds',
    },
    newestEventAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Time of the newest event that is included of the website, link or monitor, whatever filters select; null without one. Absent in a share with filters, and while its table is filled',
    },
    lagMs: {
      ...whole,
      description: 'How long the oldest event that is not included has been waiting, in whole seconds; 0 where none is',
    },
    snapshot: { ...text, description: 'Of a past moment, whose figures these are' },
    notes: arraySchema(text),
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
      ...object(
        {
          period: { ...text, enum: COMPARISONS },
          startDate: { ...text, format: 'date' },
          endDate: { ...text, format: 'date' },
          since: { ...text, format: 'date-time', description: 'Of a range of hours, within its first day' },
          until: {
            ...text,
            format: 'date-time',
            description: 'Within the last day if the range of the request is not over',
          },
        },
        'since',
      ),
      description: 'The earlier range, where figures are compared',
    },
  },
  'compare',
  'newestEventAt',
  'snapshot',
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

export const ANSWER = {
  queryId: text,
  data: arraySchema({ $ref: '#/components/schemas/QueryEntry' }),
  meta: { $ref: '#/components/schemas/QueryMeta' },
};

const TARGETS: Readonly<Record<QueryTargetName, string>> = {
  website: 'The website',
  link: 'The short link',
  tag: 'The tag whose links',
  monitor: 'The monitor',
};

function ApiTarget(about: QueryTargetName) {
  const others = QUERY_TARGETS.filter((other) => other !== about).map((other) => `${other}_id`);
  const description = `${TARGETS[about]} to query; this, ${others.join(' or ')}`;
  return ApiQuery({ name: `${about}_id`, type: String, required: false, description });
}

/** Documents what a route takes that answers questions. */
export const ApiQuestion = () =>
  applyDecorators(
    ApiExtraModels(QueryRequestDto, ParameterDto),
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
  );

const JSON_ANSWER = {
  schema: {
    oneOf: [
      object({ success: yes, ...ANSWER }),
      object({ success: yes, batch: yes, results: arraySchema(object(ANSWER)) }),
    ],
  },
};

/** Documents answers to questions, as JSON alone. */
export const ApiAnswer = () =>
  ApiOkResponse({
    description: 'An entry for each parameter, in their order',
    content: { 'application/json': JSON_ANSWER },
  });

export const ApiAsk = () =>
  applyDecorators(
    ...QUERY_TARGETS.map(ApiTarget),
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
    ApiQuestion(),
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
      content: { 'application/json': JSON_ANSWER, 'text/csv': { schema: text } },
    }),
  );

const OVERVIEW_EXAMPLE = {
  summary: 'What happened on some websites',
  value: {
    about: 'website',
    ids: ['site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E'],
    parameters: ['summary_metrics', 'active_stats'],
    preset: 'last_7d',
    compare: 'previous_period',
  },
};

export const ApiOverview = () =>
  applyDecorators(
    ApiBody({ type: OverviewRequestDto, examples: { websites: OVERVIEW_EXAMPLE } }),
    ApiOkResponse({
      schema: object({
        success: yes,
        results: arraySchema(object({ id: text, data: ANSWER.data, meta: ANSWER.meta })),
      }),
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
    schema: object({ success: yes, websites: arraySchema(WEBSITE), total: whole }),
  });
