import type { Link } from '@ledgerline/domain/registry/registry';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { FutureInstant, Id, Slug, Text, WebAddress } from '../http/fields';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

const maybe = { optional: true, nullable: true } as const;

/** Null = no value, also for an absent field. */
export class CreateLinkDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 255, { description: 'Display name', example: 'Spring sale' })
  name: string;

  @WebAddress({ description: 'Destination', example: 'https://example.com/spring' })
  targetUrl: string;

  @Slug({ description: 'Short name, unique over all organizations; random if absent', example: 'spring', ...maybe })
  slug: string | null = null;

  @Text(1, 255, { description: 'Identifier of a third party: company, campaign, partner', ...maybe })
  externalId: string | null = null;

  @FutureInstant({ description: 'When it expires', ...maybe })
  expiresAt: string | null = null;

  @WebAddress({ description: 'Destination after it expired', ...maybe })
  expiredRedirectUrl: string | null = null;

  @WebAddress({ description: 'Destination on iOS', ...maybe })
  iosUrl: string | null = null;

  @WebAddress({ description: 'Destination on Android', ...maybe })
  androidUrl: string | null = null;

  @Text(1, 255, { description: 'Title of the social preview', ...maybe })
  ogTitle: string | null = null;

  @Text(1, 1000, { description: 'Text of the social preview', multiline: true, ...maybe })
  ogDescription: string | null = null;

  @WebAddress({ description: 'Image of the social preview', ...maybe })
  ogImageUrl: string | null = null;
}

export const LINK_SORTS = ['-createdAt', 'createdAt', 'name', '-name'] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

export class ListLinksDto {
  @Id('The organization whose links these are')
  organizationId: string;

  @Text(1, 255, { description: 'Only links with exactly this external id', optional: true })
  externalId?: string;

  @Text(1, 255, { description: 'Only links whose name, slug or destination contains this', optional: true })
  search?: string;

  @ApiPropertyOptional({ type: 'integer', default: 1, minimum: 1 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  page = 1;

  @ApiPropertyOptional({ type: 'integer', default: 50, minimum: 1, maximum: 200 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;

  @ApiPropertyOptional({ enum: LINK_SORTS, default: '-createdAt' })
  @IsOptional()
  @IsIn(LINK_SORTS)
  sort: LinkSort = '-createdAt';
}

export class LinkDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  slug: string;

  @ApiProperty()
  name: string;

  @ApiProperty()
  targetUrl: string;

  @ApiProperty({ type: String, nullable: true })
  externalId: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt: string | null;

  @ApiProperty({ type: String, nullable: true })
  expiredRedirectUrl: string | null;

  @ApiProperty({ type: String, nullable: true })
  iosUrl: string | null;

  @ApiProperty({ type: String, nullable: true })
  androidUrl: string | null;

  @ApiProperty({ type: String, nullable: true })
  ogTitle: string | null;

  @ApiProperty({ type: String, nullable: true })
  ogDescription: string | null;

  @ApiProperty({ type: String, nullable: true })
  ogImageUrl: string | null;

  @ApiProperty({ description: 'The short URL', example: 'https://go.example.com/spring' })
  shortUrl: string;

  @ApiProperty({ description: 'The person or key that created it' })
  createdBy: string;
}

export const linkDto = (link: Link, publicTrackUrl: string): Plain<LinkDto> => ({
  ...recordOf(link),
  shortUrl: `${publicTrackUrl}/${link.slug}`,
});
