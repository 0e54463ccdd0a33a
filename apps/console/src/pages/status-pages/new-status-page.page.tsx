import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { monitorsQuery } from '../../api/monitors';
import { useCreateStatusPage } from '../../api/status-pages';
import { Button } from '../../components/button';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { StatusPageForm, type StatusPageSettings } from './status-page-form';

const route = getRouteApi('/signed-in/organizations/$organizationId/status-pages/new');

export function NewStatusPagePage() {
  const { organizationId } = route.useParams();
  const { data: monitors } = useSuspenseQuery(monitorsQuery(organizationId));
  const create = useCreateStatusPage();
  const navigate = route.useNavigate();
  const submit = (settings: StatusPageSettings, slug: string) =>
    create.mutate(
      { organizationId, slug, ...settings },
      {
        onSuccess: ({ id }) =>
          void navigate({
            to: '/organizations/$organizationId/status-pages/$statusPageId',
            params: { organizationId, statusPageId: id },
          }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New status page" />
      <Section title="Settings">
        <StatusPageForm monitors={monitors} error={create.error} onSubmit={submit}>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            Create the status page
          </Button>
          <Link className="button" to="/organizations/$organizationId/status-pages" params={{ organizationId }}>
            Cancel
          </Link>
        </StatusPageForm>
      </Section>
    </div>
  );
}
