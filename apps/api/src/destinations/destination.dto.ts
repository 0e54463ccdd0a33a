import {
  DESTINATION_KINDS,
  type DestinationDetails,
  type DestinationKind,
} from '@ledgerline/contracts/events/destination.events';
import { AUDIT_ACTIONS } from '@ledgerline/domain/audit/audited-events';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsOptional, IsUUID, ValidateBy } from 'class-validator';
import { Id, PageSize, Text, WebAddress, WholeNumber, YesOrNo } from '../http/fields';
import { RecordDto } from '../http/record.dto';
import { type HeaderValues, SentHeaders } from '../http/sent-headers';
import { changesOf } from '../resources/resource';

const NOW = 'now';
const isBeginning = (value: unknown): boolean => value === NOW || (Number.isSafeInteger(value) && Number(value) >= 0);

/** What a destination is made of; null = the default. */
export class CreateDestinationDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name, unique in its organization', example: 'On-call' })
  name: string;

  @ApiProperty({
    enum: DESTINATION_KINDS,
    description:
      'webhook: a message for each entry of the audit log that it wants · audit: all entries, as lines of JSON',
  })
  @IsIn(DESTINATION_KINDS)
  kind: DestinationKind;

  @WebAddress({
    description: 'Where messages go, over https; encrypted, and shown without path and query',
    example: 'https://hooks.example.com/ledgerline',
  })
  url: string;

  @SentHeaders(
    'Sent with every message, such as a token of the receiver; encrypted, and never shown',
    10,
    /^(content-|webhook-)/i,
  )
  headers?: HeaderValues | null;

  @ApiPropertyOptional({
    enum: AUDIT_ACTIONS,
    isArray: true,
    nullable: true,
    description: 'The actions of the audit log that a webhook gets; null = none. An audit stream gets all',
    example: ['member.joined', 'api_key.created'],
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(AUDIT_ACTIONS.length)
  @IsIn(AUDIT_ACTIONS, { each: true })
  sends?: string[] | null;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', enum: [NOW] },
    ],
    nullable: true,
    default: NOW,
    description: 'The `position` of the entry with which an audit stream begins; a webhook begins now',
  })
  @IsOptional()
  @ValidateBy(
    { name: 'isBeginning', validator: { validate: isBeginning } },
    { message: 'begin must be "now" or the position of an entry' },
  )
  begin?: number | 'now' | null;

  @YesOrNo(plainDestination.enabled, 'To one that is not enabled nothing is sent, and then what it has missed')
  enabled?: boolean | null;
}

/** What is left out stays as it is. */
export class UpdateDestinationDto extends changesOf(CreateDestinationDto, 'organizationId', 'kind', 'begin') {}

/** How sending to it goes; `off` until somebody sends again what waits. */
export const DESTINATION_STATES = ['ok', 'held_back', 'off'] as const;

class LastAnswerDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null = there was no answer' })
  status: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The first KB of its body, or why there was none; null of an address of one’s own network',
  })
  text: string | null;

  @ApiProperty({ format: 'date-time' })
  at: string;
}

export class DestinationDto extends RecordDto implements Pick<DestinationDetails, 'name' | 'kind' | 'sends' | 'begin'> {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: DESTINATION_KINDS })
  kind: DestinationKind;

  @ApiProperty({ enum: ['json', 'jsonl'] })
  format: 'json' | 'jsonl';

  @ApiProperty({ description: 'Scheme and host of its address', example: 'https://hooks.example.com' })
  url: string;

  @ApiProperty({ type: [String], description: 'The headers that are sent; their values are never shown' })
  headerNames: readonly string[];

  @ApiProperty({ enum: AUDIT_ACTIONS, isArray: true })
  sends: readonly string[];

  @ApiProperty({ type: 'integer', description: 'The `position` of the entry with which it began' })
  begin: number;

  @ApiProperty()
  enabled: boolean;

  @ApiProperty({
    enum: DESTINATION_STATES,
    description:
      'held_back: the last try failed, and another one is made · off: it answered 410, or a webhook failed for three days',
  })
  state: (typeof DESTINATION_STATES)[number];

  @ApiProperty({ type: LastAnswerDto, nullable: true })
  lastAnswer: LastAnswerDto | null;

  @ApiProperty({ type: 'integer', description: 'For how long the oldest message waits' })
  lagSeconds: number;
}

/** A destination with a new secret. */
export class DestinationWithSecretDto extends DestinationDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Signs messages (Standard Webhooks). Shown only once; null when the request is a repetition',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  secret: string | null;

  @ApiPropertyOptional({ description: 'True when an earlier request with this Idempotency-Key made the secret' })
  replayed?: true;
}

/** What a receiver answered to a test. */
export class TestAnswerDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null = there was no answer' })
  status: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'As in `lastAnswer`' })
  text: string | null;
}

export const DELIVERY_STATES = ['waiting', 'sent', 'set_aside'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export class ListDeliveriesDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATES })
  @IsOptional()
  @IsIn(DELIVERY_STATES)
  state?: DeliveryState | null;

  @WholeNumber(
    { min: 0, max: Number.MAX_SAFE_INTEGER },
    'Only messages below this position: that of the last one before',
  )
  before?: number | null;

  @PageSize()
  limit = 50;
}

export class DeliveryDto {
  @ApiProperty({ description: 'The `webhook-id`' })
  id: string;

  @ApiProperty({ description: 'An action of the audit log, or `audit` of a stream' })
  type: string;

  @ApiProperty({ type: 'integer', description: 'In the audit log, of the first entry' })
  position: number;

  @ApiProperty({ format: 'date-time', description: 'When it was read from the audit log' })
  at: string;

  @ApiProperty({
    enum: DELIVERY_STATES,
    description: 'set_aside: it was refused three times, and the next one was sent',
  })
  state: DeliveryState;

  @ApiProperty({ type: 'integer' })
  tries: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the last try' })
  status: number | null;

  @ApiProperty({ type: String, nullable: true })
  answer: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'As it is sent; null of what an audit stream has taken' })
  body: string | null;
}

const POSITION = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** Which messages are sent again: exactly one of the three. */
export class RetryDto {
  @ApiPropertyOptional({ type: [String], maxItems: 200 })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(200)
  @IsUUID('all', { each: true })
  deliveryIds?: string[] | null;

  @WholeNumber(POSITION, 'Those from this position on, with `to`')
  from?: number | null;

  @WholeNumber(POSITION, 'Up to this one, which is included')
  to?: number | null;

  @ApiPropertyOptional({ description: 'All that are set aside', example: true })
  @IsOptional()
  @IsBoolean()
  all?: boolean | null;
}

export class RetriedDto {
  @ApiProperty({ type: 'integer', description: 'Messages that are sent again, after what is new' })
  retried: number;
}
