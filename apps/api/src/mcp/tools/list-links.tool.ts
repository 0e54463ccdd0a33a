import { getSchemaPath, OmitType } from '@nestjs/swagger';
import { PageSize, Text } from '../../http/fields';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { LinkDto } from '../../links/link.dto';
import { linkPageDto } from '../../links/link-page.dto';
import { ListLinksDto } from '../../links/list-links.dto';
import { ListLinks } from '../../links/list-links.query';
import { organizationOf, tool } from '../tool';
import { FROM_PEOPLE } from './notes';

const USUAL = 20;

class ListLinksInput extends OmitType(ListLinksDto, ['organizationId', 'limit', 'page', 'cursor']) {
  @PageSize(USUAL, 50)
  limit = USUAL;

  @Text(1, 2_000, { description: 'A `nextCursor` with the same `sort` and filters: what follows', optional: true })
  cursor?: string;
}

export const listLinks = tool({
  name: 'list_links',
  title: 'List short links',
  description:
    'The short links of the organization, newest first, or those that match `search` or `externalId`. `total` counts all ' +
    'that match; the next ones follow with `cursor`.',
  action: 'links:read',
  effect: 'read',
  input: ListLinksInput,
  output: object({
    links: list({ $ref: getSchemaPath(LinkDto) }),
    total: whole,
    totalIsExact: yes,
    nextCursor: { type: ['string', 'null'] },
    truncated: { ...yes, description: 'True if more links follow' },
    note: text,
  }),
  answer: async ({ ...input }, { caller, queries, publicTrackUrl }) => {
    const wanted = { ...input, organizationId: organizationOf(caller), page: 1 };
    const page = linkPageDto(await queries.execute(new ListLinks(wanted, caller)), wanted, publicTrackUrl);
    const { data, total, totalIsExact, nextCursor } = page;
    return { note: FROM_PEOPLE, links: data, total, totalIsExact, nextCursor, truncated: nextCursor !== null };
  },
});
