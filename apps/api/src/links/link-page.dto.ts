import { ApiPage, type Page, pageOf } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { LinkDto, linkDto } from './link.dto';
import { type WantedLinks, MAX_COUNTED } from './list-links.dto';
import type { LinkList } from './list-links.query';

/** One page; `total` counts filtered links up to a limit only, and says so. */
export interface LinkPageDto extends Page<Plain<LinkDto>> {
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

export const linkPageDto = (page: LinkList, wanted: WantedLinks, publicTrackUrl: string): LinkPageDto => ({
  ...pageOf(
    page.links.map((link) => linkDto(link, publicTrackUrl)),
    page.total,
    wanted,
  ),
  totalIsExact: page.totalIsExact,
  nextCursor: page.nextCursor,
  ...(page.isCurrent ? {} : { notes: [NOT_REACHED] }),
});
