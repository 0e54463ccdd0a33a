import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { useState } from 'react';
import { fieldMessage } from '../../api/failure';
import { useChangeIncident, useDeleteIncident } from '../../api/incidents';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';
import { dayText, statusIn, STATUSES, type IncidentStatus } from './incident-words';
import { MaintenanceDialog } from './maintenance-dialog';

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
  const submit = ({ message = '', ...texts }: Readonly<Record<string, string>>) => {
    const update = { status: statusIn(texts['status']), message, occurrence: texts['occurrence'] || null };
    change.mutate({ update }, { onSuccess: onClose });
  };
  return (
    <Dialog title={incident.title} onClose={onClose}>
      <Form onSubmit={submit} error={change.error} fields={['update.message']}>
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
        <Textarea
          label="Message"
          name="message"
          required
          hint="What people read."
          error={fieldMessage(change.error, 'update.message')}
        />
        <FormActions submit="Publish" variant="primary" isBusy={change.isPending} onCancel={onClose} />
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
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>The status page does not show it any more.</p>
    </ConfirmDialog>
  );
}
