import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import type { Problem } from '@ledgerline/contracts/errors/error-codes';
import { type Json, isObject } from '@ledgerline/contracts/json';
import type { FlagResult } from '@ledgerline/domain/flags/evaluate-flag';
import type { FlagContext } from '@ledgerline/domain/flags/flag-rules';
import { type RefusedRequest, statusOf } from '@ledgerline/platform/http/problem.filter';
import { AsSent } from '../../http/nested';
import { ANY_JSON, arraySchema, object, text } from '../../http/record.dto';
import { PROBLEM } from '../../reference/responses';

/** The body of a request of the OpenFeature Remote Evaluation Protocol. */
export class OfrepRequestDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      '`targetingKey` is the id of the person; `email`, `organizationId`, `teamId` and `environment` are as in GET; all else are properties. Values may be of any type',
    example: { targetingKey: 'customer-7', email: 'ada@example.com', plan: 'team' },
  })
  @IsObject()
  @AsSent()
  context: Record<string, unknown>;
}

/** Values are of any type: what a rule cannot compare does not match. */
export const ofrepContext = ({ context }: OfrepRequestDto): FlagContext => {
  const { targetingKey, email, organizationId, teamId, environment, ...properties } = context;
  return { userId: targetingKey, email, organizationId, teamId, environment, properties };
};

/** One evaluated flag in the words of the protocol. */
export interface OfrepFlag {
  readonly key: string;
  readonly value: Json;
  readonly reason: 'STATIC' | 'TARGETING_MATCH' | 'SPLIT';
  readonly variant?: string;
  /** Scalars only: the payload is JSON. */
  readonly metadata: { readonly enabled: boolean; readonly payload?: string };
}

const REASONS = {
  USER_RULE_MATCH: 'TARGETING_MATCH',
  MULTIVARIANT_EVALUATED: 'SPLIT',
  ROLLOUT_ENABLED: 'SPLIT',
  ROLLOUT_DISABLED: 'SPLIT',
  BOOLEAN_DEFAULT: 'STATIC',
  FLAG_NOT_FOUND: 'STATIC',
} as const satisfies Readonly<Record<FlagResult['reason'], OfrepFlag['reason']>>;

export const ofrepFlag = (key: string, { enabled, value, payload, reason, variant }: FlagResult): OfrepFlag => ({
  key,
  value,
  reason: REASONS[reason],
  ...(variant === undefined ? {} : { variant }),
  metadata: { enabled, ...(payload === null ? {} : { payload: JSON.stringify(payload) }) },
});

export const OFREP_FLAG = object(
  {
    key: text,
    value: { anyOf: ANY_JSON },
    reason: { ...text, enum: ['STATIC', 'TARGETING_MATCH', 'SPLIT'] },
    variant: text,
    metadata: object({ enabled: { type: 'boolean' }, payload: { ...text, description: 'As JSON' } }, 'payload'),
  },
  'variant',
);

export const OFREP_FLAGS = object({ flags: arraySchema(OFREP_FLAG) });

/** Where the routes of the OpenFeature Remote Evaluation Protocol begin. */
export const OFREP = '/public/v1/flags/ofrep/v1/evaluate/flags';

/** Returns what that protocol wants in the body of a refusal, beside ours; nothing elsewhere. */
export function ofrepFailure(
  problem: Problem,
  { routeOptions, params }: RefusedRequest & { params?: unknown },
): object {
  const errorCode = routeOptions.url?.startsWith(OFREP) ? errorCodeOf(problem) : undefined;
  if (errorCode === undefined) return {};
  const key = isObject(params) ? params['key'] : undefined;
  return { ...(key === undefined ? {} : { key }), errorCode, errorDetails: detailsOf(problem) };
}

/** All that providers show to developers. */
const detailsOf = ({ message, details = [] }: Problem): string =>
  details.length === 0 ? message : details.map(({ field, message: wrong }) => `${field}: ${wrong}`).join(' ');

/** The protocol has bodies for 400 and 404 alone. */
function errorCodeOf(problem: Problem): string | undefined {
  const { code, details } = problem;
  if (code === 'NOT_FOUND') return 'FLAG_NOT_FOUND';
  if (statusOf(problem) !== 400) return undefined;
  if (!details) return 'PARSE_ERROR';
  return details.some(({ field }) => field.startsWith('context')) ? 'INVALID_CONTEXT' : 'GENERAL';
}

/** The error body of every route, with the fields of the protocol. */
export const OFREP_FAILURE = {
  ...PROBLEM,
  properties: {
    ...PROBLEM.properties,
    key: { ...text, description: 'Of the flag' },
    errorCode: { ...text, description: 'In the words of OpenFeature: `FLAG_NOT_FOUND`, `INVALID_CONTEXT` …' },
    errorDetails: text,
  },
  required: [...PROBLEM.required, 'errorCode', 'errorDetails'],
};
