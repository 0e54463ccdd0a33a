import { assertCurrentRevision } from '../../commands/command-runner';
import { Id } from '../../http/fields';
import { ChangeLink } from '../../links/change-link.command';
import { FindLink } from '../../links/find-link.query';
import { linkDto } from '../../links/link.dto';
import { tool } from '../tool';
import { atRevision, Confirm, LINK_CHANGE, PREVIEW, Revision } from './link-changes';
import { PREVIEWED } from './notes';

class DeleteLinkInput {
  @Id('As list_links gives it')
  linkId: string;

  @Confirm()
  confirm?: boolean;

  @Revision()
  revision?: number;
}

export const deleteLink = tool({
  name: 'delete_link',
  title: 'Delete a short link',
  description: `Deletes a short link for ever: it leads nowhere, and its slug is never used again. ${PREVIEWED}`,
  action: 'links:write',
  effect: 'delete',
  input: DeleteLinkInput,
  output: LINK_CHANGE,
  answer: async ({ linkId, confirm = false, revision }, context) => {
    const { caller, commands, queries, publicTrackUrl } = context;
    const before = await queries.execute(new FindLink(linkId, caller, 'links:write'));
    const shown = { link: linkDto(before, publicTrackUrl), changes: {} };
    if (!confirm) {
      assertCurrentRevision(before.revision, revision);
      const note = `The slug "${before.slug}" would lead nowhere and never be used again. ${PREVIEW.note}`;
      return { ...PREVIEW, ...shown, note };
    }
    const change = { type: 'DeleteLink', data: {} } as const;
    await commands.execute(new ChangeLink(linkId, change, atRevision(context, revision)));
    return { done: true, ...shown, note: 'The link was deleted.' };
  },
});
