import { OmitType } from '@nestjs/swagger';
import { assertCurrentRevision } from '../../commands/command-runner';
import { Id } from '../../http/fields';
import { ChangeLink } from '../../links/change-link.command';
import { CheckSlug } from '../../links/check-slug.query';
import { FindLink } from '../../links/find-link.query';
import { linkDto } from '../../links/link.dto';
import { linkChanges, UpdateLinkDto } from '../../links/link-settings.dto';
import { tool } from '../tool';
import { atRevision, changedFields, Confirm, LINK_CHANGE, PREVIEW, Revision } from './link-changes';
import { PREVIEWED } from './notes';

class UpdateLinkInput extends OmitType(UpdateLinkDto, ['organizationId']) {
  @Id('As list_links gives it')
  linkId: string;

  @Confirm()
  confirm?: boolean;

  @Revision()
  revision?: number;
}

export const updateLink = tool({
  name: 'update_link',
  title: 'Change a short link',
  description:
    'Changes the fields that are given, null clears one, and leaves the others as they are. A former slug leads nowhere ' +
    `from then on. ${PREVIEWED}`,
  action: 'links:write',
  effect: 'change',
  input: UpdateLinkInput,
  output: LINK_CHANGE,
  answer: async ({ linkId, confirm = false, revision, ...settings }, context) => {
    const { caller, commands, queries, publicTrackUrl } = context;
    const before = await queries.execute(new FindLink(linkId, caller, 'links:write'));
    const wanted = linkChanges(settings);
    const changes = changedFields(before, wanted);
    const isSame = Object.keys(changes).length === 0;
    if (!confirm) {
      assertCurrentRevision(before.revision, revision);
      if (wanted.slug !== undefined) await queries.execute(new CheckSlug(wanted.slug, linkId));
      const preview = isSame
        ? { ...PREVIEW, note: 'Nothing would change: the link has these values already.' }
        : PREVIEW;
      return { ...preview, link: linkDto(before, publicTrackUrl), changes };
    }
    const change = { type: 'UpdateLink', data: { changes: wanted } } as const;
    const { entry } = await commands.execute(new ChangeLink(linkId, change, atRevision(context, revision)));
    const note = isSame ? 'Nothing was changed: the link had these values already.' : 'The link was changed.';
    return { done: true, link: entry && linkDto(entry, publicTrackUrl), changes, note };
  },
});
