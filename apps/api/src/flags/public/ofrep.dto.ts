import type { Json } from '@ledgerline/contracts/json';
import type { FlagResult } from '@ledgerline/domain/flags/evaluate-flag';
import type { FlagContext } from '@ledgerline/domain/flags/flag-rules';
import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { list, object, text } from '../../http/json-schema';
import { AsSent } from '../../http/nested';
import { ANY_JSON } from '../../http/json-schema';

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
export const contextOf = ({ context }: OfrepRequestDto): FlagContext => {
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

export const OFREP_FLAGS = object({ flags: list(OFREP_FLAG) });
