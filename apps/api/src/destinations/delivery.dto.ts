import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageSize, WholeNumber } from '../http/fields';

/** What a receiver answered to a test. */
export class TestAnswerDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null = there was no answer' })
  status: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'As in `lastAnswer`' })
  text: string | null;
}

export const DELIVERY_STATES = ['waiting', 'sent', 'set_aside', 'skipped', 'expired', 'erased'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export class ListDeliveriesDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATES })
  @IsOptional()
  @IsIn(DELIVERY_STATES)
  state?: DeliveryState | null;

  @WholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }, 'Only messages below this number: that of the last one before')
  before?: number | null;

  @PageSize()
  limit = 50;
}

export class DeliveryDto {
  @ApiProperty({ description: 'The `webhook-id`' })
  id: string;

  @ApiProperty({ type: 'integer', description: 'In the order in which the messages of the destination were made' })
  number: number;

  @ApiProperty({ description: 'Of the message; `audit` of a stream, `digest` of a mail of several' })
  type: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'In the audit log, of the first entry; null = it is of none',
  })
  position: number | null;

  @ApiProperty({ format: 'date-time', description: 'When it was made' })
  at: string;

  @ApiProperty({
    enum: DELIVERY_STATES,
    description:
      'set_aside: it was refused three times, and the next one was sent · skipped: an operator let it be · expired: it waited for 30 days · erased: it held what was erased',
  })
  state: DeliveryState;

  @ApiProperty({ type: 'integer' })
  tries: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the last try' })
  status: number | null;

  @ApiProperty({ type: String, nullable: true })
  answer: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'As it is sent; null of what an audit stream has taken, and of what was erased',
  })
  body: string | null;
}

const NUMBER = { min: 1, max: Number.MAX_SAFE_INTEGER };

/** Which messages are sent again: exactly one of the three. */
export class RetryDto {
  @ApiPropertyOptional({ type: [String], maxItems: 200 })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(200)
  @IsUUID('all', { each: true })
  deliveryIds?: string[] | null;

  @WholeNumber(NUMBER, 'Those from this number on, with `to`')
  from?: number | null;

  @WholeNumber(NUMBER, 'Up to this one, which is included')
  to?: number | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, description: 'All that are set aside', example: true })
  @IsOptional()
  @IsBoolean()
  all?: boolean | null;
}

export class RetriedDto {
  @ApiProperty({ type: 'integer', description: 'Messages that are sent again, after what is new' })
  retried: number;
}
