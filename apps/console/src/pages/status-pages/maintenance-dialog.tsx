import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { monitorsQuery } from '../../api/monitors';
import { useChangeIncident, useReportIncident } from '../../api/status-pages';
import { Input } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { Dialog } from '../../components/overlays';
import { instantOf, LocalTimeInput, Textarea } from '../../components/text-fields';
import { MonitorsChoice } from './monitors-choice';
import { RepeatFields, type Repeat } from './repeat-fields';

interface MaintenanceDialogProps {
  readonly page: StatusPageDto;
  /** Absent for a new one. */
  readonly maintenance?: IncidentDto;
  readonly onClose: () => void;
}

/** A maintenance that is planned, once or again and again; or changed. */
export function MaintenanceDialog({ page, maintenance, onClose }: MaintenanceDialogProps) {
  const { data: monitors } = useSuspenseQuery(monitorsQuery(page.organizationId));
  const [monitorIds, setMonitorIds] = useState<readonly string[]>(maintenance?.monitorIds ?? []);
  const [repeat, setRepeat] = useState<Repeat | null>(wholeRepeat(maintenance));
  const plan = useReportIncident(page.id);
  const change = useChangeIncident(page.id, maintenance?.id ?? '');
  const submit = ({ title = '', message = '', ...texts }: Texts) => {
    const times = { startsAt: instantOf(texts['startsAt']), endsAt: instantOf(texts['endsAt']) };
    const when = repeat ? { repeat: { ...repeat, weekdays: [...repeat.weekdays] } } : { repeat: null, ...times };
    const body = { title, monitorIds: [...monitorIds], ...when };
    if (maintenance) change.mutate(body, { onSuccess: onClose });
    else plan.mutate({ ...body, message, severity: 'maintenance' }, { onSuccess: onClose });
  };
  return (
    <Dialog title={maintenance ? maintenance.title : 'Plan a maintenance'} onClose={onClose}>
      <Form onSubmit={submit} change={maintenance ? change : plan}>
        <Input label="Title" name="title" defaultValue={maintenance?.title} required />
        <RepeatFields repeat={repeat} timezone={page.timezone} onChange={setRepeat} />
        {!repeat && (
          <div className="form-row">
            <LocalTimeInput label="Begins" name="startsAt" at={maintenance?.startsAt ?? null} />
            <LocalTimeInput label="Ends" name="endsAt" at={maintenance?.endsAt ?? null} />
          </div>
        )}
        {!maintenance && <Textarea label="Message" name="message" required hint="What people read." />}
        <MonitorsChoice
          legend="It is about"
          monitors={monitors.filter(({ id }) => page.monitorIds.includes(id) || monitorIds.includes(id))}
          chosen={monitorIds}
          onChange={setMonitorIds}
        />
        <FormActions submit={maintenance ? 'Save' : 'Publish'} variant="primary" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

function wholeRepeat(maintenance: IncidentDto | undefined): Repeat | null {
  if (!maintenance?.repeat) return null;
  const { interval, weekdays, monthDay, until, ...repeat } = maintenance.repeat;
  return {
    ...repeat,
    interval: interval ?? 1,
    weekdays: weekdays ?? [],
    monthDay: monthDay ?? null,
    until: until ?? null,
  };
}
