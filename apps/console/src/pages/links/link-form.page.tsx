import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { LinkDto, NewLinkDto, UpdateLinkDto } from '@ledgerline/client';
import { readableAddress } from '../../addresses/readable-address';
import { pagePreviewQuery } from '../../api/link-changes';
import { linkQuery } from '../../api/links';
import { useCreateRecord, useUpdateRecord } from '../../api/record-changes';
import { FormFields, declareForm, valuesIn } from '../../components/declared-form';
import { Input } from '../../components/field';
import { type RequestState, Form, FormActions, type Texts, formTexts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { localText } from '../../components/text-fields';
import { notify } from '../../components/toasts';
import { CampaignFields } from './campaign-fields';
import { nameOfAddress, withScheme } from './link-address';
import { LinkPreview } from './link-preview';
import { TagsField } from './link-tags';

const newRoute = getRouteApi('/signed-in/organizations/$organizationId/links/new');

export function NewLinkPage() {
  const { organizationId } = newRoute.useParams();
  const { from = '' } = newRoute.useSearch();
  const { data: copied } = useQuery({ ...linkQuery(from), enabled: from !== '' });
  const navigate = newRoute.useNavigate();
  const createLink = useCreateRecord('/v1/links');
  return (
    <div className="page">
      <PageHeader
        title={copied ? `Copy of ${copied.name}` : 'New link'}
        description="A short address that redirects and counts clicks"
      />
      <LinkForm
        organizationId={organizationId}
        filled={copied && { ...copied, name: `${copied.name} (copy)`, slug: '' }}
        action="Create link"
        change={createLink}
        onSubmit={(link) =>
          createLink.mutate(
            { organizationId, ...link },
            {
              onSuccess: ({ id, shortUrl }) => {
                notify(`Created ${readableAddress(shortUrl)}`);
                void navigate({
                  to: '/organizations/$organizationId/links/$linkId',
                  params: { organizationId, linkId: id },
                });
              },
            },
          )
        }
      />
    </div>
  );
}

const editRoute = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId/edit');

export function EditLinkPage() {
  const { organizationId, linkId: id } = editRoute.useParams();
  const navigate = editRoute.useNavigate();
  const { data: link } = useSuspenseQuery(linkQuery(id));
  const updateLink = useUpdateRecord('/v1/links', id, link.revision);
  const submit = (given: NewLinkDto, texts: Texts) =>
    updateLink.mutate(changesOf(link, given, texts), {
      onSuccess: () => {
        notify('Saved');
        void navigate({ to: '/organizations/$organizationId/links/$linkId' });
      },
    });
  return (
    <div className="page">
      <PageHeader title={`Edit ${link.name}`} description={link.shortUrl} />
      {/* a newer revision fills the form anew */}
      <LinkForm
        key={link.revision}
        organizationId={organizationId}
        filled={link}
        slugHint="The former short name stops working"
        action="Save"
        change={updateLink}
        onSubmit={submit}
      />
    </div>
  );
}

/** Only what was changed, so that an expiry in the past can stay; an emptied short name is for the api to refuse. */
function changesOf(link: LinkDto, { slug, expiresAt, ...others }: NewLinkDto, texts: Texts): UpdateLinkDto {
  const changed = Object.entries(others).filter(([name, value]) => !isSame(Reflect.get(link, name), value));
  return {
    ...Object.fromEntries(changed),
    ...(slug === link.slug ? {} : { slug: slug ?? '' }),
    ...(texts['expiresAt'] === localText(link.expiresAt) ? {} : { expiresAt: expiresAt ?? null }),
  };
}

const isSame = (held: unknown, value: unknown): boolean => JSON.stringify(held) === JSON.stringify(value);

const MORE = declareForm(
  'NewLinkDto',
  { externalId: { label: 'External id', hint: 'Your id of a campaign or partner' } },
  {
    expiredRedirectUrl: {
      label: 'Destination after it expired',
      hint: 'Default: a page that says so',
    },
  },
  { iosUrl: { label: 'Destination on iOS' }, androidUrl: { label: 'Destination on Android' } },
  {
    forwardQuery: {
      label: 'Forward the query string',
      hint: 'Adds parameters that the destination does not have',
    },
    trackVisits: {
      label: 'Join visits to clicks',
      hint: 'Adds ll_click to addresses of your own websites, to attribute conversions',
    },
  },
  { ogTitle: { label: 'Title of the social preview' } },
  { ogDescription: { label: 'Text of the social preview', rows: 3 } },
  { ogImageUrl: { label: 'Image of the social preview' } },
);

const EXPIRY = declareForm('NewLinkDto', { expiresAt: { label: 'Expires' } });

/** An address may be written without its scheme, and an empty text is no value; the api says which fields need one. */
function linkIn(texts: Texts): NewLinkDto {
  const more = valuesIn(MORE, texts);
  const addresses = ['expiredRedirectUrl', 'iosUrl', 'androidUrl', 'ogImageUrl'] as const;
  return {
    targetUrl: withScheme(texts['targetUrl'] ?? ''),
    name: texts['name']?.trim() ?? '',
    slug: texts['slug'] || null,
    ...valuesIn(EXPIRY, texts),
    ...more,
    ...Object.fromEntries(addresses.map((name) => [name, withScheme(more[name] ?? '') || null])),
  };
}

interface LinkFormProps {
  readonly organizationId: string;
  /** The link that the fields hold at first. */
  readonly filled: LinkDto | undefined;
  readonly slugHint?: string;
  readonly change: RequestState;
  /** The text of the button. */
  readonly action: string;
  readonly onSubmit: (link: NewLinkDto, texts: Texts) => void;
}

/** Everything that can be set of a link, and how it looks; what the api refuses is shown at its field. */
function LinkForm({ organizationId, filled, slugHint, change, action, onSubmit }: LinkFormProps) {
  const [target, setTarget] = useState(filled?.targetUrl ?? '');
  const [tagIds, setTagIds] = useState<readonly string[]>(filled?.tagIds ?? []);
  const [texts, setTexts] = useState(textsOf(filled));
  const queryClient = useQueryClient();
  const { data: page } = useQuery(pagePreviewQuery(organizationId, useSettled(withScheme(target))));
  /** A link without a name is called as its page, once that is known, or else as its address. */
  const submit = async (given: Texts) => {
    const link = linkIn(given);
    const query = pagePreviewQuery(organizationId, link.targetUrl);
    const known = link.name === '' && query.enabled ? await queryClient.query(query).catch(() => undefined) : undefined;
    const name = link.name || known?.title || nameOfAddress(link.targetUrl) || 'Link'; // of one without an address, which is refused
    onSubmit({ ...link, name, tagIds: [...tagIds] }, given);
  };
  const read = (element: Element) => {
    const form = element.closest('form');
    if (form) setTexts(formTexts(form));
  };
  return (
    <div className="beside">
      <Form onSubmit={(given) => void submit(given)} change={change}>
        <div className="form" onInput={({ currentTarget }) => read(currentTarget)}>
          <Input
            label="Destination"
            name="targetUrl"
            inputMode="url"
            autoComplete="off"
            placeholder="shop.example/spring"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
            onBlur={() => setTarget(withScheme)}
          />
          <CampaignFields organizationId={organizationId} target={target} onChange={setTarget} />
          <Input
            label="Name"
            name="name"
            hint="Default: the title of the page"
            placeholder={page?.title ?? undefined}
            defaultValue={filled?.name}
          />
          <Input
            label="Short name"
            name="slug"
            hint={slugHint ?? 'The end of the short address; random if empty'}
            defaultValue={filled?.slug}
          />
          <FormFields form={EXPIRY} record={filled} />
          <TagsField organizationId={organizationId} tagIds={tagIds} onChange={setTagIds} />
          <details className="more" open={isUsed(filled) || undefined}>
            <summary>External id, other destinations, social preview, query string, visits</summary>
            <div className="form">
              <FormFields form={MORE} record={filled} />
            </div>
          </details>
        </div>
        <FormActions submit={action} variant="primary" />
      </Form>
      <LinkPreview texts={{ ...texts, targetUrl: target }} page={page} />
    </div>
  );
}

const PAUSE_MS = 400;

/** A text once typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const textsOf = (link: LinkDto | undefined): Texts =>
  Object.fromEntries(
    Object.entries(link ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/** Returns whether a link has something that most do not need. */
const isUsed = (link: LinkDto | undefined): boolean =>
  MORE.rows
    .flatMap((row) => Object.keys(row))
    .some((name) => {
      const value: unknown = link && Reflect.get(link, name);
      return typeof value === 'boolean' ? !value : value != null;
    });
