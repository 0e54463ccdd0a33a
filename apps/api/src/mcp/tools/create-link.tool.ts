import { Text } from '../../http/fields';
import { CheckSlug } from '../../links/check-slug.query';
import { CreateLink } from '../../links/create-link.command';
import { linkDto } from '../../links/link.dto';
import { newLink, NewLinkDto } from '../../links/link-settings.dto';
import { organizationOf, tool } from '../tool';
import { changedFields, Confirm, LINK_CHANGE, PREVIEW } from './link-changes';
import { PREVIEWED } from './notes';

class CreateLinkInput extends NewLinkDto {
  @Confirm()
  confirm?: boolean;

  @Text(1, 255, {
    description: 'Of your choice: a repeated call with the same key and arguments creates no second link',
    optional: true,
  })
  idempotencyKey?: string;
}

export const createLink = tool({
  name: 'create_link',
  title: 'Create a short link',
  description: `Creates a short link that redirects to targetUrl and counts its clicks. ${PREVIEWED}`,
  action: 'links:write',
  effect: 'create',
  input: CreateLinkInput,
  output: LINK_CHANGE,
  answer: async (
    { confirm = false, idempotencyKey, ...link },
    { caller, command, commands, queries, publicTrackUrl },
  ) => {
    const details = newLink(link);
    const changes = changedFields(null, details);
    if (!confirm) {
      if (details.slug !== null) await queries.execute(new CheckSlug(details.slug));
      return { ...PREVIEW, link: null, changes };
    }
    const input = { organizationId: organizationOf(caller), ...details };
    const { entry, replayed } = await commands.execute(new CreateLink(input, { ...command, idempotencyKey }));
    const note = replayed ? 'This idempotencyKey had created the link before.' : 'The link works from now on.';
    return { done: true, link: linkDto(entry, publicTrackUrl), changes, note };
  },
});
