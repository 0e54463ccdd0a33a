import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMessage } from '../../api/failure';
import { useChangeIncident, useReportIncident } from '../../api/incidents';
import { monitorsQuery } from '../../api/monitors';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { instantOf, LocalTimeInput } from '../../components/local-time-input';
import { Textarea } from '../../components/textarea';
import { MonitorsChoice } from './monitors-choice';
import { REPEAT_FIELDS, RepeatFields, type Repeat } from './repeat-fields';

interface MaintenanceDialogProps {
  readonly page: StatusPageDto;
  /** Absent for a new one. */
  readonly maintenance?: IncidentDto;
  readonly onClose: () => void;
}

const FIELDS = ['title', 'message', 'startsAt', 'endsAt', 'monitorIds', ...REPEAT_FIELDS];

/** A maintenance that is planned, once or again and again; or changed. */
export function MaintenanceDialog({ page, maintenance, onClose }: MaintenanceDialogProps) {
  const { data: monitors } = useSuspenseQuery(monitorsQuery(page.organizationId));
  const [monitorIds, setMonitorIds] = useState<readonly string[]>(maintenance?.monitorIds ?? []);
  const [repeat, setRepeat] = useState<Repeat | null>(wholeRepeat(maintenance));
  const plan = useReportIncident(page.id);
  const change = useChangeIncident(page.id, maintenance?.id ?? '');
  const { error, isPending } = maintenance ? change : plan;
  const submit = ({ title = '', message = '', ...texts }: Readonly<Record<string, string>>) => {
    const times = { startsAt: instantOf(texts['startsAt']), endsAt: instantOf(texts['endsAt']) };
    const when = repeat ? { repeat: { ...repeat, weekdays: [...repeat.weekdays] } } : { repeat: null, ...times };
    const body = { title, monitorIds: [...monitorIds], ...when };
    if (maintenance) change.mutate(body, { onSuccess: onClose });
    else plan.mutate({ ...body, message, severity: 'maintenance' }, { onSuccess: onClose });
  };
  const messageAt = (field: string) => fieldMessage(error, field);
  return (
    <Dialog title={maintenance ? maintenance.title : 'Plan a maintenance'} onClose={onClose}>
      <Form onSubmit={submit} error={error} fields={FIELDS}>
        <Input label="Title" name="title" defaultValue={maintenance?.title} required error={messageAt('title')} />
        <RepeatFields repeat={repeat} timezone={page.timezone} onChange={setRepeat} messageAt={messageAt} />
        {!repeat && (
          <div className="form-row">
            <LocalTimeInput
              label="Begins"
              name="startsAt"
              at={maintenance?.startsAt ?? null}
              error={messageAt('startsAt')}
            />
            <LocalTimeInput label="Ends" name="endsAt" at={maintenance?.endsAt ?? null} error={messageAt('endsAt')} />
          </div>
        )}
        {!maintenance && (
          <Textarea label="Message" name="message" required hint="What people read." error={messageAt('message')} />
        )}
        <MonitorsChoice
          legend="It is about"
          monitors={monitors.filter(({ id }) => page.monitorIds.includes(id) || monitorIds.includes(id))}
          chosen={monitorIds}
          onChange={setMonitorIds}
          error={messageAt('monitorIds')}
        />
        <FormActions
          submit={maintenance ? 'Save' : 'Publish'}
          variant="primary"
          isBusy={isPending}
          onCancel={onClose}
        />
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
