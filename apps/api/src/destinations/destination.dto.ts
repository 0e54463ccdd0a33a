import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsOptional, IsString, Length, ValidateBy } from 'class-validator';
import {
  DESTINATION_FORMATS,
  DESTINATION_KINDS,
  type DestinationDetails,
  type DestinationFormat,
  type DestinationKind,
} from '@ledgerline/contracts/events/destination.events';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import { MESSAGE_TYPES } from '@ledgerline/domain/messages/message';
import { updateDtoClass } from '../commands/resource';
import { ChoiceField, EmailAddress, Id, Text, WebAddress, YesOrNo } from '../http/fields';
import { RecordDto } from '../http/record.dto';
import { type HeaderValues, SentHeaders } from '../http/sent-headers';

const NOW = 'now';
const isBeginning = (value: unknown): boolean => value === NOW || (Number.isSafeInteger(value) && Number(value) >= 0);

const AboutIds = (what: string) =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      nullable: true,
      description: `Only messages about these ${what}; null = all`,
    }),
    IsOptional(),
    IsArray(),
    ArrayUnique(),
    ArrayMaxSize(200),
    IsString({ each: true }),
    Length(1, 64, { each: true }),
  );

/** What a destination is made of; null = the default. */
export class CreateDestinationDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name, unique in its organization', example: 'On-call' })
  name: string;

  @ApiProperty({
    enum: DESTINATION_KINDS,
    description:
      'webhook: a request for each message that it wants · mail: a mail for each, once its address is confirmed; needs a mail server · audit: the whole audit log, as lines of JSON',
  })
  @IsIn(DESTINATION_KINDS)
  kind: DestinationKind;

  @ChoiceField(DESTINATION_FORMATS, plainDestination.format, 'What a webhook sends; fixed')
  format?: DestinationFormat | null;

  @WebAddress({
    description: 'Where messages go, over https; encrypted, and shown without path and query. Not of a mail',
    example: 'https://hooks.example.com/ledgerline',
    optional: true,
  })
  url?: string | null;

  @EmailAddress({
    description:
      'Of a mail: gets a link that confirms it before anything is sent, and again when it is set again; encrypted',
    optional: true,
  })
  address?: string | null;

  @SentHeaders(
    'Sent with every message, such as a token of the receiver; encrypted, and never shown',
    10,
    /^(content-|webhook-)/i,
  )
  headers?: HeaderValues | null;

  @ApiPropertyOptional({
    enum: MESSAGE_TYPES,
    isArray: true,
    nullable: true,
    description:
      'The types of messages that it gets, of a mail those of monitors and incidents; null = none. An audit stream gets the whole audit log',
    example: ['monitor.down', 'monitor.up', 'api_key.created'],
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(MESSAGE_TYPES.length)
  @IsIn(MESSAGE_TYPES, { each: true })
  sends?: string[] | null;

  @AboutIds('websites')
  websiteIds?: string[] | null;

  @AboutIds('links')
  linkIds?: string[] | null;

  @AboutIds('monitors, with incidents of these')
  monitorIds?: string[] | null;

  @AboutIds('goals')
  goalIds?: string[] | null;

  @YesOrNo(plainDestination.openToMembers, 'Members may have alerts sent to it')
  openToMembers?: boolean | null;

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
export class UpdateDestinationDto extends updateDtoClass(
  CreateDestinationDto,
  'organizationId',
  'kind',
  'format',
  'begin',
) {}

/** How sending to it goes; `off` until an administrator sends again what waits. */
export const DESTINATION_STATES = ['ok', 'held_back', 'off', 'unconfirmed'] as const;

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

export class DestinationDto
  extends RecordDto
  implements Omit<DestinationDetails, 'organizationId' | 'origin' | 'sealed' | 'consent' | 'format'>
{
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: DESTINATION_KINDS })
  kind: DestinationKind;

  @ApiProperty({
    enum: [...DESTINATION_FORMATS, 'text', 'jsonl'],
    description: 'text: of a mail · jsonl: lines of JSON, of an audit stream',
  })
  format: DestinationFormat | 'text' | 'jsonl';

  @ApiProperty({
    description: 'Scheme and host of its address; of a mail, its address without the name',
    example: 'https://hooks.example.com',
  })
  url: string;

  @ApiProperty({ type: [String], description: 'The headers that are sent; their values are never shown' })
  headerNames: readonly string[];

  @ApiProperty({ enum: MESSAGE_TYPES, isArray: true })
  sends: readonly string[];

  @ApiProperty({ type: [String], nullable: true, description: 'Null = it gets messages about all of them' })
  websiteIds: readonly string[] | null;

  @ApiProperty({ type: [String], nullable: true })
  linkIds: readonly string[] | null;

  @ApiProperty({ type: [String], nullable: true })
  monitorIds: readonly string[] | null;

  @ApiProperty({ type: [String], nullable: true })
  goalIds: readonly string[] | null;

  @ApiProperty({ description: 'Members may have alerts sent to it' })
  openToMembers: boolean;

  @ApiProperty({ type: 'integer', description: 'The `position` of the entry with which it began' })
  begin: number;

  @ApiProperty()
  enabled: boolean;

  @ApiProperty({
    enum: DESTINATION_STATES,
    description:
      'held_back: the last try failed, and another one is made · off: it answered 410, its server knows no such address, it failed for three days, or the addressee wants no more mails · unconfirmed: its mail was not answered yet',
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
    description:
      'Signs messages (Standard Webhooks). Shown only once; null of a mail, and when the request is a repetition',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  secret: string | null;

  @ApiPropertyOptional({ description: 'True when an earlier request with this Idempotency-Key made the secret' })
  replayed?: true;
}
