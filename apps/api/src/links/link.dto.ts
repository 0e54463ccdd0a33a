import { Problem, type ErrorCode, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { Link } from '@ledgerline/contracts/records';
import { STATUSES } from '@ledgerline/platform/http/statuses';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

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

  @ApiProperty({ description: 'Whether parameters of the short address pass to the destination' })
  forwardQuery: boolean;

  @ApiProperty({ description: 'The short URL', example: 'https://go.example.com/spring' })
  shortUrl: string;

  @ApiProperty({ description: 'The person or key that created it' })
  createdBy: string;
}

export const linkDto = (link: Link, publicTrackUrl: string): Plain<LinkDto> => ({
  ...recordOf(link),
  forwardQuery: link.forwardQuery ?? true,
  shortUrl: `${publicTrackUrl}/${link.slug}`,
});

class LinkOutcomeDto {
  @ApiProperty({ type: 'integer', description: 'The place of the link in the request, from 0' })
  index: number;

  @ApiProperty()
  success: boolean;

  @ApiPropertyOptional({ type: LinkDto, description: 'If it was created' })
  link?: Plain<LinkDto>;

  @ApiPropertyOptional({ description: 'Message for people, if it was not' })
  error?: string;

  @ApiPropertyOptional({ enum: Object.keys(STATUSES) })
  code?: ErrorCode;

  @ApiPropertyOptional({
    type: 'array',
    items: { $ref: '#/components/schemas/FieldError' },
    description: 'Wrong fields of this link',
  })
  details?: readonly FieldError[];
}

/** What became of each link of a request. */
export class LinkOutcomesDto {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ type: 'integer' })
  created: number;

  @ApiProperty({ type: 'integer' })
  failed: number;

  @ApiProperty({ type: [LinkOutcomeDto] })
  results: readonly Plain<LinkOutcomeDto>[];
}

export function linkOutcomesDto(outcomes: readonly (Link | Problem)[], publicTrackUrl: string): Plain<LinkOutcomesDto> {
  const results = outcomes.map((outcome, index): Plain<LinkOutcomeDto> => {
    if (!(outcome instanceof Problem)) return { index, success: true, link: linkDto(outcome, publicTrackUrl) };
    const { code, message: error, details } = outcome;
    return { index, success: false, error, code, ...(details ? { details } : {}) };
  });
  const created = results.filter(({ success }) => success).length;
  return { success: true, created, failed: results.length - created, results };
}
