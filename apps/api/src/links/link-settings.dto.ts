import type { LinkSettings } from '@ledgerline/contracts/events/link.events';
import { omit } from '@ledgerline/domain/changes';
import { MAX_TARGET_LENGTH } from '@ledgerline/domain/links/web-address';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsObject, ValidateIf } from 'class-validator';
import { FutureInstant, Id, Instant, sent, Slug, Text, WebAddress } from '../http/fields';
import { AsSent } from '../http/nested';
import type { Plain } from '../http/record.dto';

const maybe = { optional: true, nullable: true } as const;

const NAME = { description: 'Display name', example: 'Spring sale' };
const TARGET = { description: 'Destination', example: 'https://example.com/spring', maxLength: MAX_TARGET_LENGTH };
const SLUG = { description: 'Short name, unique over all organizations', example: 'spring' };
const EXPIRY = { description: 'When it expires', ...maybe };

/** What a link need not have; null clears. */
class LinkOptionsDto {
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
}

/** One link of several. */
export class NewLinkDto extends LinkOptionsDto {
  @Text(1, 255, NAME)
  name: string;

  @WebAddress(TARGET)
  targetUrl: string;

  @Slug({ ...SLUG, description: `${SLUG.description}; random if absent`, ...maybe })
  slug?: string | null;

  /** Whether it lies in the future is decided with its command, which may be a repetition. */
  @Instant(EXPIRY)
  expiresAt?: string | null;
}

export class CreateLinkDto extends NewLinkDto {
  @Id('The organization it belongs to')
  organizationId: string;
}

/** What is left out stays as it is. */
export class UpdateLinkDto extends LinkOptionsDto {
  @Id('The one it belongs to: it cannot be changed', { optional: true })
  organizationId?: string;

  @Text(1, 255, { ...NAME, optional: true })
  name?: string;

  @WebAddress({ ...TARGET, optional: true })
  targetUrl?: string;

  @Slug({ ...SLUG, optional: true })
  slug?: string;

  @FutureInstant(EXPIRY)
  expiresAt?: string | null;
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

/** With the defaults of what was left out. */
export const newLink = (body: Plain<NewLinkDto>) => ({
  slug: body.slug ?? null,
  name: body.name,
  targetUrl: body.targetUrl,
  externalId: body.externalId ?? null,
  expiresAt: body.expiresAt ?? null,
  expiredRedirectUrl: body.expiredRedirectUrl ?? null,
  iosUrl: body.iosUrl ?? null,
  androidUrl: body.androidUrl ?? null,
  ogTitle: body.ogTitle ?? null,
  ogDescription: body.ogDescription ?? null,
  ogImageUrl: body.ogImageUrl ?? null,
  forwardQuery: body.forwardQuery ?? true,
});

/** Only what was sent. */
export const linkChanges = (body: Plain<UpdateLinkDto>): Partial<LinkSettings> => sent(omit(body, 'organizationId'));
