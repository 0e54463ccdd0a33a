import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { monitorsQuery } from '../../api/monitors';
import { useChangeIncident, useDeleteIncident, useReportIncident } from '../../api/status-pages';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Input, Select } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { Dialog } from '../../components/overlays';
import type { Tone } from '../../components/page-parts';
import { Textarea } from '../../components/text-fields';
import { MaintenanceDialog } from './maintenance-dialog';
import { MonitorsChoice } from './status-page-form.page';

interface IncidentActionsProps {
  readonly page: StatusPageDto;
  readonly incident: IncidentDto;
}

type Action = 'change' | 'update' | 'occurrence' | 'resolution' | 'deletion';

/** An update, the end, or the deletion of an incident; of a maintenance that repeats, also the end of an occurrence. */
export function IncidentActions({ page, incident }: IncidentActionsProps) {
  const [open, setOpen] = useState<Action>();
  const close = () => setOpen(undefined);
  const { title, severity, status, repeat, resolvedAt, occurrence } = incident;
  const isNow = occurrence !== null && Date.parse(occurrence.startsAt) <= Date.now();
  const ending = isNow ? 'End early' : 'Call off the next';
  const actions: readonly (readonly [Action, string, string] | false)[] = [
    severity === 'maintenance' && ['change', 'Change', `Change ${title}`],
    ['update', 'Add an update', `Add an update to ${title}`],
    occurrence !== null && ['occurrence', ending, `${ending}: ${title}`],
    resolvedAt === null &&
      (repeat
        ? ['resolution', 'End the series', `End the series: ${title}`]
        : ['resolution', 'Resolve', `Resolve ${title}`]),
    ['deletion', 'Delete', `Delete ${title}`],
  ];
  return (
    <div className="row-actions">
      {actions.map(
        (each) =>
          each && (
            <Button key={each[0]} variant="quiet" aria-label={each[2]} onClick={() => setOpen(each[0])}>
              {each[1]}
            </Button>
          ),
      )}
      {open === 'change' && <MaintenanceDialog page={page} maintenance={incident} onClose={close} />}
      {open === 'update' && <UpdateDialog incident={incident} status={status} onClose={close} />}
      {open === 'occurrence' && occurrence && (
        <UpdateDialog incident={incident} status="resolved" about={occurrence.day} onClose={close} />
      )}
      {open === 'resolution' && <UpdateDialog incident={incident} status="resolved" onClose={close} />}
      {open === 'deletion' && <Deletion incident={incident} onClose={close} />}
    </div>
  );
}

interface UpdateDialogProps {
  readonly incident: IncidentDto;
  /** Proposed. */
  readonly status: IncidentStatus;
  /** The day of an occurrence; absent = the whole. */
  readonly about?: string;
  readonly onClose: () => void;
}

function UpdateDialog({ incident, status, about = '', onClose }: UpdateDialogProps) {
  const change = useChangeIncident(incident.statusPageId, incident.id);
  const { occurrence } = incident;
  const submit = ({ message = '', ...texts }: Texts) => {
    const update = { status: statusIn(texts['status']), message, occurrence: texts['occurrence'] || null };
    change.mutate({ update }, { onSuccess: onClose });
  };
  return (
    <Dialog title={incident.title} onClose={onClose}>
      <Form onSubmit={submit} change={change}>
        {occurrence && (
          <Select
            label="About"
            name="occurrence"
            options={[
              ['', 'The whole series'],
              [occurrence.day, `Only ${dayText(occurrence.day)}`],
            ]}
            defaultValue={about}
          />
        )}
        <Select label="Status" name="status" options={STATUSES} defaultValue={status} />
        <Textarea label="Message" name="message" required hint="What people read." field="update.message" />
        <FormActions submit="Publish" variant="primary" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

function Deletion({ incident, onClose }: Omit<UpdateDialogProps, 'status' | 'about'>) {
  const deletion = useDeleteIncident(incident.statusPageId, incident.id);
  return (
    <ConfirmDialog
      title={`Delete ${incident.title}?`}
      action="Delete"
      change={deletion}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>The status page does not show it any more.</p>
    </ConfirmDialog>
  );
}

interface ReportDialogProps {
  readonly page: StatusPageDto;
  readonly onClose: () => void;
}

/** A new incident. */
export function ReportDialog({ page, onClose }: ReportDialogProps) {
  const { data: monitors } = useSuspenseQuery(monitorsQuery(page.organizationId));
  const [monitorIds, setMonitorIds] = useState<readonly string[]>([]);
  const report = useReportIncident(page.id);
  const submit = ({ title = '', message = '', ...texts }: Texts) => {
    const severity = SEVERITIES.find(([each]) => each === texts['severity'])?.[0] ?? 'minor';
    const status = statusIn(texts['status']);
    report.mutate({ title, message, severity, status, monitorIds: [...monitorIds] }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Report an incident" onClose={onClose}>
      <Form onSubmit={submit} change={report}>
        <Input label="Title" name="title" required />
        <div className="form-row">
          <Select label="Severity" name="severity" options={SEVERITIES} />
          <Select label="Status" name="status" options={STATUSES} />
        </div>
        <Textarea label="Message" name="message" required hint="What people read." />
        <MonitorsChoice
          legend="It is about"
          monitors={monitors.filter(({ id }) => page.monitorIds.includes(id))}
          chosen={monitorIds}
          onChange={setMonitorIds}
        />
        <FormActions submit="Publish" variant="primary" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

type IncidentStatus = IncidentDto['status'];
type Severity = IncidentDto['severity'];

const STATUSES: readonly (readonly [IncidentStatus, string])[] = [
  ['investigating', 'Investigating'],
  ['identified', 'Identified'],
  ['monitoring', 'Monitoring'],
  ['resolved', 'Resolved'],
];

const SEVERITIES: readonly (readonly [Severity, string])[] = [
  ['minor', 'Minor'],
  ['major', 'Major'],
  ['critical', 'Critical'],
];

export const SEVERITY_BADGES: Readonly<Record<Severity, readonly [Tone, string]>> = {
  minor: ['warning', 'Minor'],
  major: ['danger', 'Major'],
  critical: ['danger', 'Critical'],
  maintenance: ['neutral', 'Maintenance'],
};

/** The word of a status for people. */
export const statusText = (status: IncidentStatus): string => STATUSES.find(([each]) => each === status)?.[1] ?? status;

/** Tells how an incident or a maintenance is now. */
export function stateText(incident: IncidentDto, now = Date.now()): string {
  const { severity, status, repeat, occurrence, resolvedAt } = incident;
  if (severity !== 'maintenance') return statusText(status);
  if (resolvedAt !== null || (repeat && !occurrence)) return 'Over';
  const { startsAt, endsAt } = occurrence ?? incident;
  if (startsAt !== null && Date.parse(startsAt) > now) return 'Planned';
  return endsAt !== null && Date.parse(endsAt) <= now ? 'Over' : 'Under maintenance';
}

/** `3 Nov 2026`, of a calendar day. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

const statusIn = (text: string | undefined): IncidentStatus =>
  STATUSES.find(([each]) => each === text)?.[0] ?? 'investigating';
