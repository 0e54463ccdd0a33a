import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCreateFlag } from '../../api/flags';
import { websitesQuery } from '../../api/websites';
import { Button } from '../../components/button';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { optionsIn, type FlagDraft } from './flag-draft';
import { FlagForm } from './flag-form';

const route = getRouteApi('/signed-in/organizations/$organizationId/flags/new');

export function NewFlagPage() {
  const { organizationId } = route.useParams();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const create = useCreateFlag();
  const navigate = route.useNavigate();
  const submit = (texts: Readonly<Record<string, string>>, draft: FlagDraft) => {
    const { key = '', name = '', websiteId } = texts;
    const body = { organizationId, websiteId: websiteId || null, key, name, ...optionsIn(texts, draft) };
    create.mutate(body, {
      onSuccess: ({ id }) =>
        void navigate({ to: '/organizations/$organizationId/flags/$flagId', params: { organizationId, flagId: id } }),
    });
  };
  return (
    <div className="page">
      <PageHeader title="New flag" description="It is in force as soon as it is created" />
      <Section title="Settings">
        <FlagForm websites={websites} error={create.error} onSubmit={submit}>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            Create the flag
          </Button>
          <Link className="button" to="/organizations/$organizationId/flags" params={{ organizationId }}>
            Cancel
          </Link>
        </FlagForm>
      </Section>
    </div>
  );
}
