import { useSuspenseQuery } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import type { IncidentDto, StatusPageDto } from '@ledgerline/client';
import { repeatText } from '@ledgerline/domain/status-pages/repeat-text';
import { monitorsQuery } from '../../api/monitors';
import { useChangeIncident, useReportIncident } from '../../api/status-pages';
import { ChoiceInput, FieldGroup } from '../../components/choices';
import { Input, Select } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { Dialog } from '../../components/overlays';
import { LocalTimeInput, Textarea, instantOf } from '../../components/text-fields';
import { MonitorsChoice } from './status-page-form.page';

/** With everything that may be left out of a request. */
type Repeat = Parameters<typeof repeatText>[0];
type Period = Repeat['every'];
type Weekday = Repeat['weekdays'][number];

const WEEKDAYS: readonly Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const PERIODS: readonly (readonly [Period | '', string])[] = [
  ['', 'Does not repeat'],
  ['day', 'Every day'],
  ['week', 'Every week'],
  ['month', 'Every month'],
];
const MONTH_DAYS = [
  ['last', 'The last day'],
  ...Array.from({ length: 31 }, (_, n) => [String(n + 1), `Day ${n + 1}`] as const),
] as const;

/** As it is proposed for a page, from today on. */
const proposed = (every: Period, timezone: string, now = new Date()): Repeat => ({
  every,
  interval: 1,
  weekdays: every === 'week' ? ['sunday'] : [],
  monthDay: every === 'month' ? 'last' : null,
  timezone,
  startTime: '02:00',
  durationMinutes: 60,
  from: now.toISOString().slice(0, 10),
  until: null,
});

interface RepeatFieldsProps {
  /** Null = it does not repeat. */
  readonly repeat: Repeat | null;
  /** The time zone that is proposed. */
  readonly timezone: string;
  readonly onChange: (repeat: Repeat | null) => void;
}

/** Shows whether and when a maintenance takes place again, and what that means in a sentence. */
function RepeatFields({ repeat, timezone, onChange }: RepeatFieldsProps) {
  const choose = (text: string) => {
    const every = PERIODS.find(([each]) => each === text)?.[0] || undefined;
    const fresh = every && proposed(every, timezone);
    onChange(fresh ? { ...fresh, ...repeat, every, weekdays: fresh.weekdays, monthDay: fresh.monthDay } : null);
  };
  return (
    <>
      <Select
        label="Repeats"
        name="every"
        field="repeat.every"
        options={PERIODS}
        value={repeat?.every ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {repeat && <Rule repeat={repeat} onChange={onChange} />}
    </>
  );
}

interface RuleProps {
  readonly repeat: Repeat;
  readonly onChange: (repeat: Repeat) => void;
}

function Rule({ repeat, onChange }: RuleProps) {
  const { every, interval, weekdays, monthDay, startTime, durationMinutes } = repeat;
  const change = (more: Partial<Repeat>) => onChange({ ...repeat, ...more });
  const isWhole = startTime !== '' && durationMinutes > 0 && interval > 0 && (every !== 'week' || weekdays.length > 0);
  const of = { repeat, change };
  return (
    <fieldset className="group">
      <legend>Schedule</legend>
      {every === 'week' && <Weekdays weekdays={weekdays} onChange={change} />}
      <div className="form-row">
        {every === 'month' && (
          <Select
            label="On"
            name="monthDay"
            field="repeat.monthDay"
            options={MONTH_DAYS}
            value={String(monthDay ?? 'last')}
            onChange={({ currentTarget: { value } }) => change({ monthDay: value === 'last' ? value : Number(value) })}
          />
        )}
        <RuleInput {...of} name="interval" label={`Interval (${every}s)`} type="number" min={1} max={30} required />
      </div>
      <div className="form-row">
        <RuleInput {...of} name="startTime" label="Starts at" type="time" required />
        <RuleInput {...of} name="durationMinutes" label="Duration (minutes)" type="number" min={1} required />
      </div>
      <div className="form-row">
        <RuleInput {...of} name="from" label="From" type="date" required />
        <RuleInput {...of} name="until" label="Until" type="date" hint="Empty: without end." />
      </div>
      <RuleInput {...of} name="timezone" label="Time zone" required />
      <p role="status">{isWhole ? `${repeatText(repeat)}.` : ''}</p>
    </fieldset>
  );
}

interface RuleInputProps extends Omit<ComponentProps<typeof Input>, 'name'> {
  readonly name: 'interval' | 'startTime' | 'durationMinutes' | 'from' | 'until' | 'timezone';
  readonly repeat: Repeat;
  readonly change: (more: Partial<Repeat>) => void;
}

/** A part of a rule; of what may be empty, nothing is null. */
const RuleInput = ({ name, repeat, change, ...input }: RuleInputProps) => (
  <Input
    {...input}
    name={name}
    field={`repeat.${name}`}
    value={repeat[name] || ''}
    onChange={({ currentTarget: { value } }) =>
      change({ [name]: input.type === 'number' ? Number(value) : value || (input.required ? value : null) })
    }
  />
);

interface WeekdaysProps {
  readonly weekdays: readonly Weekday[];
  readonly onChange: (changed: { readonly weekdays: readonly Weekday[] }) => void;
}

const Weekdays = ({ weekdays, onChange }: WeekdaysProps) => (
  <FieldGroup legend="On" field="repeat.weekdays">
    <div className="weekdays">
      {WEEKDAYS.map((day) => (
        <ChoiceInput
          key={day}
          type="checkbox"
          label={`${day.charAt(0).toUpperCase()}${day.slice(1)}`}
          checked={weekdays.includes(day)}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ weekdays: WEEKDAYS.filter((each) => (each === day ? checked : weekdays.includes(each))) })
          }
        />
      ))}
    </div>
  </FieldGroup>
);

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
