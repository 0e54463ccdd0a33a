import type { StatusPageDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMessage } from '../../api/failure';
import { useReportIncident } from '../../api/incidents';
import { monitorsQuery } from '../../api/monitors';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';
import { MonitorsChoice } from './monitors-choice';
import { SEVERITIES, statusIn, STATUSES } from './incident-words';

interface ReportDialogProps {
  readonly page: StatusPageDto;
  readonly onClose: () => void;
}

const FIELDS = ['title', 'message', 'monitorIds'];

/** A new incident. */
export function ReportDialog({ page, onClose }: ReportDialogProps) {
  const { data: monitors } = useSuspenseQuery(monitorsQuery(page.organizationId));
  const [monitorIds, setMonitorIds] = useState<readonly string[]>([]);
  const report = useReportIncident(page.id);
  const submit = ({ title = '', message = '', ...texts }: Readonly<Record<string, string>>) => {
    const severity = SEVERITIES.find(([each]) => each === texts['severity'])?.[0] ?? 'minor';
    const status = statusIn(texts['status']);
    report.mutate({ title, message, severity, status, monitorIds: [...monitorIds] }, { onSuccess: onClose });
  };
  const messageAt = (field: string) => fieldMessage(report.error, field);
  return (
    <Dialog title="Report an incident" onClose={onClose}>
      <Form onSubmit={submit} error={report.error} fields={FIELDS}>
        <Input label="Title" name="title" required error={messageAt('title')} />
        <div className="form-row">
          <Select label="Severity" name="severity" options={SEVERITIES} />
          <Select label="Status" name="status" options={STATUSES} />
        </div>
        <Textarea label="Message" name="message" required hint="What people read." error={messageAt('message')} />
        <MonitorsChoice
          legend="It is about"
          monitors={monitors.filter(({ id }) => page.monitorIds.includes(id))}
          chosen={monitorIds}
          onChange={setMonitorIds}
          error={messageAt('monitorIds')}
        />
        <FormActions submit="Publish" variant="primary" isBusy={report.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
