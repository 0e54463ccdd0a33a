import type { IncidentDto } from '@ledgerline/client';
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
import { statusIn, STATUSES, type IncidentStatus } from './incident-words';

/** An update, the end, or the deletion of an incident. */
export function IncidentActions({ incident }: { readonly incident: IncidentDto }) {
  const [open, setOpen] = useState<'update' | 'resolution' | 'deletion'>();
  const close = () => setOpen(undefined);
  return (
    <div className="row-actions">
      <Button variant="quiet" aria-label={`Add an update to ${incident.title}`} onClick={() => setOpen('update')}>
        Add an update
      </Button>
      {incident.resolvedAt === null && (
        <Button variant="quiet" aria-label={`Resolve ${incident.title}`} onClick={() => setOpen('resolution')}>
          Resolve
        </Button>
      )}
      <Button variant="quiet" aria-label={`Delete ${incident.title}`} onClick={() => setOpen('deletion')}>
        Delete
      </Button>
      {open === 'update' && <UpdateDialog incident={incident} status={incident.status} onClose={close} />}
      {open === 'resolution' && <UpdateDialog incident={incident} status="resolved" onClose={close} />}
      {open === 'deletion' && <Deletion incident={incident} onClose={close} />}
    </div>
  );
}

interface UpdateDialogProps {
  readonly incident: IncidentDto;
  /** Proposed. */
  readonly status: IncidentStatus;
  readonly onClose: () => void;
}

function UpdateDialog({ incident, status, onClose }: UpdateDialogProps) {
  const change = useChangeIncident(incident.statusPageId, incident.id);
  const submit = ({ message = '', ...texts }: Readonly<Record<string, string>>) =>
    change.mutate({ update: { status: statusIn(texts['status']), message } }, { onSuccess: onClose });
  return (
    <Dialog title={incident.title} onClose={onClose}>
      <Form onSubmit={submit} error={change.error} fields={['update.message']}>
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

function Deletion({ incident, onClose }: Omit<UpdateDialogProps, 'status'>) {
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
