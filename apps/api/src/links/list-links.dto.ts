import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Min } from 'class-validator';
import { Id, PageSize, Text } from '../http/fields';
import { fieldRule } from '../http/nested';
import { ApiPage, listPage, type ListPage, type PlainData } from '../http/record.dto';
import { LinkDto } from './link.dto';

/** Rows before a page that can be asked for by its number; further ones are reached by `cursor`. */
const MAX_OFFSET = 10_000;

/** Counting all that a filter leaves of a million links would take longer than finding a page of them. */
export const MAX_COUNTED = 5_000;

export const LINK_SORTS = ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt', 'name', '-name'] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

export class ListLinksDto {
  @Id('The organization whose links these are')
  organizationId: string;

  @Text(1, 255, { description: 'Only links with exactly this external id', optional: true })
  externalId?: string;

  @Id('Only links with this tag', { optional: true })
  tagId?: string;

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
  @IsNear()
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

/** The links that are asked for. */
export type WantedLinks = PlainData<ListLinksDto>;

function IsNear() {
  return fieldRule<ListLinksDto>('isNear', (page, { limit }) => {
    const isFar = typeof page === 'number' && Number.isInteger(limit) && (page - 1) * limit > MAX_OFFSET;
    return isFar ? `can skip up to ${MAX_OFFSET} links; go on with cursor` : undefined;
  });
}

/** One page; `total` counts filtered links up to a limit only, and says so. */
export interface LinkPageDto extends ListPage<PlainData<LinkDto>> {
  readonly totalIsExact: boolean;
  readonly nextCursor: string | null;
  readonly notes?: readonly string[];
}

const TOTAL_IS_EXACT = `False when more than ${MAX_COUNTED} links pass the filters, by a count or by the statistics of the database`;

/** Documents a route that returns one. */
export const ApiLinkPage = () =>
  ApiPage(
    LinkDto,
    {
      totalIsExact: { type: 'boolean', description: TOTAL_IS_EXACT },
      nextCursor: { type: 'string', nullable: true, description: 'Sent as `cursor`, it leads to the next page' },
    },
    { notes: { type: 'array', items: { type: 'string' }, description: 'What the list is not' } },
  );

const NOT_REACHED = 'X-Min-Position was not reached within 2 s; the newest writes may be missing.';

interface FoundPage {
  /** The number of links; of filtered links about so many or more, if it is not exact. */
  readonly total: number;
  readonly totalIsExact: boolean;
  /** The cursor of the links that follow; null = none do. */
  readonly nextCursor: string | null;
  /** False when the write it was to include is still missing. */
  readonly isCurrent: boolean;
}

export const linkPageDto = (
  links: readonly PlainData<LinkDto>[],
  page: FoundPage,
  wanted: WantedLinks,
): LinkPageDto => ({
  ...listPage(links, page.total, wanted),
  totalIsExact: page.totalIsExact,
  nextCursor: page.nextCursor,
  ...(page.isCurrent ? {} : { notes: [NOT_REACHED] }),
});
