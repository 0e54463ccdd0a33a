import type { LinkDto, NewLinkDto, UpdateLinkDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { linkQuery, useUpdateLink } from '../../api/links';
import { localText } from '../../components/local-time-input';
import { PageHeader } from '../../components/page-header';
import { notify } from '../../components/toasts';
import { LinkForm, type Texts } from './link-form';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId/edit');

export function EditLinkPage() {
  const { linkId: id } = route.useParams();
  const navigate = route.useNavigate();
  const { data: link } = useSuspenseQuery(linkQuery(id));
  const updateLink = useUpdateLink();
  const submit = (given: NewLinkDto, texts: Texts) =>
    updateLink.mutate(
      { id, revision: link.revision, changes: changesOf(link, given, texts) },
      {
        onSuccess: () => {
          notify('Saved');
          void navigate({ to: '/organizations/$organizationId/links/$linkId' });
        },
      },
    );
  return (
    <div className="page">
      <PageHeader title={`Edit ${link.name}`} description={link.shortUrl} />
      {/* a newer revision fills the form anew */}
      <LinkForm
        key={link.revision}
        link={link}
        action="Save"
        error={updateLink.error}
        isBusy={updateLink.isPending}
        onSubmit={submit}
      />
    </div>
  );
}

/** Only what was changed, so that an expiry in the past can stay; an emptied short name is for the api to refuse. */
function changesOf(link: LinkDto, { slug, expiresAt, ...others }: NewLinkDto, texts: Texts): UpdateLinkDto {
  const changed = Object.entries(others).filter(([name, value]) => link[name as keyof typeof others] !== value);
  return {
    ...Object.fromEntries(changed),
    ...(slug === link.slug ? {} : { slug: slug ?? '' }),
    ...(texts['expiresAt'] === localText(link.expiresAt) ? {} : { expiresAt: expiresAt ?? null }),
  };
}
