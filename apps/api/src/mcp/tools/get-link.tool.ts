import { getSchemaPath } from '@nestjs/swagger';
import { Id } from '../../http/fields';
import { FindLink } from '../../links/find-link.query';
import { LinkDto, linkDto } from '../../links/link.dto';
import { tool } from '../tool';

class GetLinkInput {
  @Id('As list_links gives it')
  linkId: string;
}

export const getLink = tool({
  name: 'get_link',
  title: 'Get a short link',
  description: 'One short link with its destination and settings. Its clicks are answered by `query` with its id.',
  action: 'links:read',
  effect: 'read',
  input: GetLinkInput,
  output: { $ref: getSchemaPath(LinkDto) },
  answer: async ({ linkId }, { caller, queries, publicTrackUrl }) =>
    linkDto(await queries.execute(new FindLink(linkId, caller)), publicTrackUrl),
});
