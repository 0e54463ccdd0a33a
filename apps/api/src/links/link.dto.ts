import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsObject,
  IsString,
  Length,
  ValidateIf,
} from 'class-validator';
import { MAX_LISTED, Problem, type ErrorCode, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { MAX_TARGET_LENGTH } from '@ledgerline/domain/links/link-addresses';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';
import { updateDtoClass, recordOfFields } from '../commands/resource';
import { FutureInstant, Id, Instant, Slug, Text, WebAddress } from '../http/fields';
import { AsSent } from '../http/nested';
import type { PlainData } from '../http/record.dto';
import { TagIds } from './tags';

const maybe = { optional: true, nullable: true } as const;

const SLUG = { description: 'Short name, unique over all organizations', example: 'spring' };
const EXPIRY = { description: 'When it expires', ...maybe };

/** The settings of a new link, one of several; null = it has none. */
export class NewLinkDto {
  @Text(1, 255, { description: 'Display name', example: 'Spring sale' })
  name: string;

  @WebAddress({ description: 'Destination', example: 'https://example.com/spring', maxLength: MAX_TARGET_LENGTH })
  targetUrl: string;

  @Slug({ ...SLUG, description: `${SLUG.description}; random if absent`, ...maybe })
  slug?: string | null;

  /** The expiry. Whether it lies in the future is decided with its command, which may be a repetition. */
  @Instant(EXPIRY)
  expiresAt?: string | null;

  @Text(1, 255, { description: 'Identifier of a third party: company, campaign, partner', ...maybe })
  externalId?: string | null;

  @WebAddress({ description: 'Destination after it expired', ...maybe })
  expiredRedirectUrl?: string | null;

  @WebAddress({ description: 'Destination on iOS', ...maybe })
  iosUrl?: string | null;

  @WebAddress({ description: 'Destination on Android', ...maybe })
  androidUrl?: string | null;

  @Text(1, 255, { description: 'Title of the social preview', ...maybe })
  ogTitle?: string | null;

  @Text(1, 1000, { description: 'Text of the social preview', multiline: true, ...maybe })
  ogDescription?: string | null;

  @WebAddress({ description: 'Image of the social preview', ...maybe })
  ogImageUrl?: string | null;

  @ApiPropertyOptional({
    default: true,
    description: 'Whether parameters of the short address pass to the destination: all but those that it has itself',
  })
  @ValidateIf((_: unknown, value: unknown) => value !== undefined)
  @IsBoolean()
  forwardQuery?: boolean;

  @ApiPropertyOptional({
    default: true,
    description:
      'Whether a redirect to a website of the organization adds the click to the address (as ll_click), so that visits and conversions can be joined to it',
  })
  @ValidateIf((_: unknown, value: unknown) => value !== undefined)
  @IsBoolean()
  trackVisits?: boolean;

  @TagIds()
  tagIds?: string[] | null;
}

export class CreateLinkDto extends NewLinkDto {
  @Id('The organization it belongs to')
  organizationId: string;
}

/** The changes of a link: what is left out stays as it is; null clears. */
export class UpdateLinkDto extends updateDtoClass(NewLinkDto, 'slug', 'expiresAt') {
  @Id('The one it belongs to: it cannot be changed', { optional: true })
  organizationId?: string;

  @Slug({ ...SLUG, optional: true })
  slug?: string;

  @FutureInstant(EXPIRY)
  expiresAt?: string | null;
}

/** A link that has nothing but what every link must have; without a slug it gets a random one. */
export const LINK_DEFAULTS = { ...plainLink, slug: null };

export class LinkDto extends recordOfFields<LinkDetails, CreateLinkDto>(CreateLinkDto, plainLink) {
  @ApiProperty({ description: 'The short URL', example: 'https://go.example.com/spring' })
  shortUrl: string;

  @ApiProperty({ description: 'The person or key that created it' })
  createdBy: string;
}

const MAX_LINKS = 1_000;

export class CreateLinksDto {
  @Id('The organization they belong to')
  organizationId: string;

  @ApiProperty({ type: [NewLinkDto], minItems: 1, maxItems: MAX_LINKS, description: 'Each is judged for itself' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_LINKS)
  @IsObject({ each: true })
  @AsSent()
  links: object[];
}

class LinkOutcomeDto {
  @ApiProperty({ type: 'integer', description: 'The place of the link in the request, from 0' })
  index: number;

  @ApiProperty()
  success: boolean;

  @ApiPropertyOptional({ type: LinkDto, description: 'If it was created or changed' })
  link?: PlainData<LinkDto>;

  @ApiPropertyOptional({ description: 'Message for people, if it was not' })
  error?: string;

  @ApiPropertyOptional({ enum: Object.keys(STATUSES) })
  code?: ErrorCode;

  @ApiPropertyOptional({
    type: 'array',
    items: { $ref: '#/components/schemas/FieldError' },
    description: 'Wrong fields of this link; of all links twenty at most, `error` counts the others',
  })
  details?: readonly FieldError[];
}

/** The outcome of each link of a request. */
export class LinkOutcomesDto {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ type: 'integer' })
  created: number;

  @ApiProperty({ type: 'integer' })
  failed: number;

  @ApiProperty({ type: [LinkOutcomeDto] })
  results: readonly PlainData<LinkOutcomeDto>[];
}

/** The outcomes of tagging links that exist. */
export class TaggedLinksDto extends OmitType(LinkOutcomesDto, ['created']) {
  @ApiProperty({
    type: 'integer',
    description: 'How many have the tags that they were to get, and none that they were to lose',
  })
  tagged: number;
}

export class TagLinksDto {
  @Id('The organization they belong to')
  organizationId: string;

  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_LINKS,
    description: 'Ids of links',
    example: ['link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_LINKS)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  linkIds: string[];

  @TagIds('Ids of tags that they get')
  add?: string[] | null;

  @TagIds('Ids of tags that they lose')
  remove?: string[] | null;
}

/** The outcome of an item; they stand in the order of the items. */
export type LinkItemResult = PlainData<LinkDto> | Problem;

export function linkOutcomesDto(outcomes: readonly LinkItemResult[]): PlainData<LinkOutcomesDto> {
  const { done: created, results } = resultsOf(outcomes);
  return { success: true, created, failed: results.length - created, results };
}

export function taggedLinksDto(outcomes: readonly LinkItemResult[]): PlainData<TaggedLinksDto> {
  const { done: tagged, results } = resultsOf(outcomes);
  return { success: true, tagged, failed: results.length - tagged, results };
}

function resultsOf(outcomes: readonly LinkItemResult[]) {
  let left = MAX_LISTED;
  const results = outcomes.map((outcome, index): PlainData<LinkOutcomeDto> => {
    if (!(outcome instanceof Problem)) return { index, success: true, link: outcome };
    const { code, message: error, details = [] } = outcome.listing(left);
    left -= details.length;
    return { index, success: false, error, code, ...(details.length > 0 ? { details } : {}) };
  });
  return { done: results.filter(({ success }) => success).length, results };
}
