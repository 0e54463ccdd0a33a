import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { incidentsQuery } from '../../api/incidents';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { IncidentActions } from './incident-actions';
import { ReportDialog } from './report-dialog';
import { dayText, SEVERITY_BADGES, stateText, statusText } from './incident-words';
import { MaintenanceDialog } from './maintenance-dialog';

interface IncidentsProps {
  readonly page: StatusPageDto;
  readonly mayChange: boolean;
}

/** What people reported, the newest first; those that go on before the others. */
export function Incidents({ page, mayChange }: IncidentsProps) {
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
      description="What you report; downtimes of the monitors are shown by themselves."
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
