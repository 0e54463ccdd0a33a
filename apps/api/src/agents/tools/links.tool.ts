import { getSchemaPath, OmitType } from '@nestjs/swagger';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { assertCurrentRevision } from '../../commands/command-runner';
import { changesIn, withDtoDefaults } from '../../commands/resource';
import { ChangeRecord, CreateRecord } from '../../commands/resource.commands';
import { FindRecord } from '../../commands/resource.queries';
import { Id, PageSize, Text } from '../../http/fields';
import { arraySchema, object, text, whole, yes } from '../../http/record.dto';
import { LINK_DEFAULTS, LinkDto, NewLinkDto, UpdateLinkDto } from '../../links/link.dto';
import { Links, CheckSlug } from '../../links/links';
import { ListLinksDto } from '../../links/list-links.dto';
import { ListLinks } from '../../links/list-links.query';
import { atRevision, changedFields, changeSchema, Confirm, IdempotencyKey, PREVIEW, Revision } from '../changes';
import { FROM_PEOPLE, callerOrganization, PREVIEWED, tool } from '../tool';

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
    links: arraySchema({ $ref: getSchemaPath(LinkDto) }),
    total: whole,
    totalIsExact: yes,
    nextCursor: { type: ['string', 'null'] },
    truncated: { ...yes, description: 'True if more links follow' },
    note: text,
  }),
  answer: async ({ ...input }, { caller, queries }) => {
    const wanted = { ...input, organizationId: callerOrganization(caller), page: 1 };
    const { data, total, totalIsExact, nextCursor } = await queries.execute(new ListLinks(wanted, caller));
    return { note: FROM_PEOPLE, links: data, total, totalIsExact, nextCursor, truncated: nextCursor !== null };
  },
});

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
  answer: ({ linkId }, { caller, queries }) => queries.execute(new FindRecord(Links, linkId, caller)),
});

const LINK_CHANGE = changeSchema('link', LinkDto);

class CreateLinkInput extends NewLinkDto {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('link')
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
  answer: async ({ confirm = false, idempotencyKey, ...link }, { caller, command, commands, queries }) => {
    const details = withDtoDefaults(link, LINK_DEFAULTS);
    const changes = changedFields(null, details);
    if (!confirm) {
      if (details.slug !== null) await queries.execute(new CheckSlug(details.slug));
      return { ...PREVIEW, link: null, changes };
    }
    const input = { organizationId: callerOrganization(caller), ...details };
    const sent = new CreateRecord(Links, input, { ...command, idempotencyKey });
    const { entry, replayed } = await commands.execute(sent);
    const note = replayed ? 'This idempotencyKey had created the link before.' : 'The link works from now on.';
    return { done: true, link: entry, changes, note };
  },
});

/** The settings that a link may be without. */
const CLEARED = Object.entries(plainLink).flatMap(([name, usual]) =>
  usual === null ? [name as keyof UpdateLinkInput] : [],
);

class UpdateLinkInput extends OmitType(UpdateLinkDto, ['organizationId']) {
  @Id('As list_links gives it')
  linkId: string;

  @Confirm()
  confirm?: boolean;

  @Revision('link')
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
  clears: CLEARED,
  output: LINK_CHANGE,
  answer: async ({ linkId, confirm = false, revision, ...settings }, context) => {
    const { caller, commands, queries } = context;
    const before = await queries.execute(new FindRecord(Links, linkId, caller, true));
    const wanted = changesIn(settings, LINK_DEFAULTS);
    const changes = changedFields(before, wanted);
    const isSame = Object.keys(changes).length === 0;
    if (!confirm) {
      assertCurrentRevision(before.revision, revision);
      if (wanted.slug !== undefined) await queries.execute(new CheckSlug(wanted.slug, linkId));
      const preview = isSame
        ? { ...PREVIEW, note: 'Nothing would change: the link has these values already.' }
        : PREVIEW;
      return { ...preview, link: before, changes };
    }
    const { entry } = await commands.execute(new ChangeRecord(Links, linkId, settings, atRevision(context, revision)));
    const note = isSame ? 'Nothing was changed: the link had these values already.' : 'The link was changed.';
    return { done: true, link: entry, changes, note };
  },
});

class DeleteLinkInput {
  @Id('As list_links gives it')
  linkId: string;

  @Confirm()
  confirm?: boolean;

  @Revision('link')
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
    const { caller, commands, queries } = context;
    const before = await queries.execute(new FindRecord(Links, linkId, caller, true));
    const shown = { link: before, changes: {} };
    if (!confirm) {
      assertCurrentRevision(before.revision, revision);
      const note = `The slug "${before.slug}" would lead nowhere and never be used again. ${PREVIEW.note}`;
      return { ...PREVIEW, ...shown, note };
    }
    await commands.execute(new ChangeRecord(Links, linkId, null, atRevision(context, revision)));
    return { done: true, ...shown, note: 'The link was deleted.' };
  },
});
