import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Min, ValidateBy } from 'class-validator';
import { Id, PageSize, Text } from '../http/fields';
import type { Plain } from '../http/record.dto';
import { LINK_SORTS, type LinkSort } from './link-order';

/** Rows before a page that can be asked for by its number; further ones are reached by `cursor`. */
const MAX_OFFSET = 10_000;

/** Counting all that a filter leaves of a million links would take longer than finding a page of them. */
export const MAX_COUNTED = 5_000;

export class ListLinksDto {
  @Id('The organization whose links these are')
  organizationId: string;

  @Text(1, 255, { description: 'Only links with exactly this external id', optional: true })
  externalId?: string;

  @Text(1, 255, {
    description:
      'Only links that have all of these words in their name, slug or destination; the last one may be the beginning ' +
      'of a word. Words are runs of letters and digits; case does not matter',
    optional: true,
  })
  search?: string;

  @ApiPropertyOptional({
    type: 'integer',
    default: 1,
    minimum: 1,
    description: `Up to ${MAX_OFFSET} links can be skipped by pages`,
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @ValidateBy(
    { name: 'isNear', validator: { validate: isNear } },
    { message: `page can skip up to ${MAX_OFFSET} links; go on with cursor` },
  )
  page = 1;

  @PageSize()
  limit = 50;

  @ApiPropertyOptional({ enum: LINK_SORTS, default: '-createdAt' })
  @IsOptional()
  @IsIn(LINK_SORTS)
  sort: LinkSort = '-createdAt';

  @Text(1, 2_000, {
    description: 'A `nextCursor` with the same `sort` and filters, instead of `page`: what follows that page',
    optional: true,
  })
  cursor?: string;
}

/** Which links are asked for. */
export type WantedLinks = Plain<ListLinksDto>;

function isNear(page: unknown, validation?: { object: object }): boolean {
  const { limit } = validation?.object as ListLinksDto;
  return typeof page !== 'number' || !Number.isInteger(limit) || (page - 1) * limit <= MAX_OFFSET;
}
