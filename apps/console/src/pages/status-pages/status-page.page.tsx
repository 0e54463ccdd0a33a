import type { StatusPageDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isAtLeast, useOwnRole } from '../../api/members';
import { monitorsQuery } from '../../api/monitors';
import { statusPagesQuery, useChangeStatusPage } from '../../api/status-pages';
import { Button } from '../../components/button';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { notify } from '../../components/toasts';
import { Incidents } from './incidents';
import { PublicLink } from './public-link';
import { StatusPageDeletion } from './status-page-deletion';
import { StatusPageForm, type StatusPageSettings } from './status-page-form';

const route = getRouteApi('/signed-in/organizations/$organizationId/status-pages/$statusPageId');

export function StatusPagePage() {
  const { organizationId, statusPageId } = route.useParams();
  const { data: pages } = useSuspenseQuery(statusPagesQuery(organizationId));
  const mayChange = isAtLeast(useOwnRole(organizationId), 'admin');
  const page = pages.find(({ id }) => id === statusPageId);
  if (!page) return null; // it is being deleted
  return (
    <div className="page">
      <PageHeader
        title={page.name}
        description={<PublicLink page={page} />}
        actions={mayChange && <StatusPageDeletion page={page} />}
      />
      <Incidents page={page} mayChange={mayChange} />
      {mayChange && <Changes key={page.revision} page={page} />}
    </div>
  );
}

function Changes({ page }: { readonly page: StatusPageDto }) {
  const { data: monitors } = useSuspenseQuery(monitorsQuery(page.organizationId));
  const change = useChangeStatusPage(page.id);
  const submit = (settings: StatusPageSettings) =>
    change.mutate(settings, { onSuccess: () => notify('The status page is saved') });
  return (
    <Section title="Settings" description="Everybody sees a change within a minute.">
      <StatusPageForm page={page} monitors={monitors} error={change.error} onSubmit={submit}>
        <Button type="submit" variant="primary" isBusy={change.isPending}>
          Save the status page
        </Button>
      </StatusPageForm>
    </Section>
  );
}
