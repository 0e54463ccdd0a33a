import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { monitorsQuery } from '../../api/monitors';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { useUpdateRecord } from '../../api/record-changes';
import { incidentsQuery, statusPagesQuery } from '../../api/status-pages';
import { Button } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { PageHeader } from '../../components/page';
import { Badge, Section, Time } from '../../components/page-parts';
import { notify } from '../../components/toasts';
import { dayText, IncidentActions, ReportDialog, SEVERITY_BADGES, stateText, statusText } from './incident-dialogs';
import { MaintenanceDialog } from './maintenance-dialog';
import { StatusPageForm, type StatusPageInput } from './status-page-form.page';
import { PublicLink } from './status-pages.page';

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
  const change = useUpdateRecord('/v1/status-pages', page.id);
  const submit = (settings: StatusPageInput) =>
    change.mutate(settings, { onSuccess: () => notify('The status page is saved') });
  return (
    <StatusPageForm
      description="Changes appear within a minute."
      page={page}
      monitors={monitors}
      change={change}
      onSubmit={submit}
      submit="Save the status page"
    />
  );
}

function StatusPageDeletion({ page }: { readonly page: StatusPageDto }) {
  const navigate = useNavigate();
  const params = { organizationId: page.organizationId };
  return (
    <DeleteButton
      path="/v1/status-pages"
      record={page}
      onDeleted={() => void navigate({ to: '/organizations/$organizationId/status-pages', params })}
    >
      <p>The page goes offline. Its slug stays reserved for the organization.</p>
    </DeleteButton>
  );
}

interface IncidentsProps {
  readonly page: StatusPageDto;
  readonly mayChange: boolean;
}

/** Shows what people reported, the newest first; those that go on before the others. */
function Incidents({ page, mayChange }: IncidentsProps) {
  const { data } = useSuspenseQuery(incidentsQuery(page.id));
  const [reporting, setReporting] = useState<'incident' | 'maintenance'>();
  const incidents = data.toReversed();
  const sorted = [
    ...incidents.filter(({ resolvedAt }) => resolvedAt === null),
    ...incidents.filter(({ resolvedAt }) => resolvedAt !== null),
  ];
  return (
    <Section
      title="Incidents and maintenance"
      description="Downtimes of monitors appear by themselves."
      actions={
        mayChange && (
          <>
            <Button variant="primary" onClick={() => setReporting('incident')}>
              Report an incident
            </Button>
            <Button onClick={() => setReporting('maintenance')}>Plan a maintenance</Button>
          </>
        )
      }
    >
      {sorted.length === 0 && <p className="soft">Nothing was reported yet.</p>}
      {sorted.map((incident) => (
        <Incident key={incident.id} page={page} incident={incident} mayChange={mayChange} />
      ))}
      {reporting === 'incident' && <ReportDialog page={page} onClose={() => setReporting(undefined)} />}
      {reporting === 'maintenance' && <MaintenanceDialog page={page} onClose={() => setReporting(undefined)} />}
    </Section>
  );
}

const Incident = ({ page, incident, mayChange }: IncidentsProps & { readonly incident: IncidentDto }) => {
  const [tone, severity] = SEVERITY_BADGES[incident.severity];
  const { startsAt, endsAt } = incident.occurrence ?? incident;
  return (
    <article className="incident" aria-label={incident.title}>
      <header>
        <h3>{incident.title}</h3>
        <Badge tone={tone}>{severity}</Badge>
        <Badge tone={incident.resolvedAt === null ? 'warning' : 'good'}>{stateText(incident)}</Badge>
      </header>
      {incident.repeats !== null && <p>{incident.repeats}</p>}
      {startsAt !== null && (
        <p className="soft">
          {incident.occurrence && (Date.parse(startsAt) > Date.now() ? 'Next: ' : 'Now: ')}
          <Time at={startsAt} /> to {endsAt === null ? 'an open end' : <Time at={endsAt} />}
        </p>
      )}
      <ol>
        {incident.updates.toReversed().map(({ at, status, message, occurrence }) => (
          <li key={at}>
            <p className="soft">
              <Time at={at} />
              {incident.severity !== 'maintenance' && ` · ${statusText(status)}`}
              {occurrence !== null && ` · of ${dayText(occurrence)}`}
            </p>
            <p className="message">{message}</p>
          </li>
        ))}
      </ol>
      {mayChange && <IncidentActions page={page} incident={incident} />}
    </article>
  );
};
