import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateReportDto, DestinationDto, ReportDto } from '@ledgerline/client';
import { destinationsQuery } from '../../api/destinations';
import { useCreateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { Checkbox, ChoiceInput, FieldGroup } from '../../components/choices';
import { Input } from '../../components/field';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { FormSection, type FormSectionProps } from '../../components/page-parts';
import { OWN_ZONE, TimeZoneInput } from '../../components/time-zone-input';
import { DESTINATION_FORMAT_LABELS } from '../destinations/destination-words';
import { PERIODS } from './report-words';

type Settings = Omit<CreateReportDto, 'organizationId' | 'enabled'>;

interface ReportFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  readonly organizationId: string;
  /** Absent for a new one. */
  readonly report?: ReportDto;
  /** The names that are taken. */
  readonly names?: readonly string[];
  readonly onSubmit: (settings: Settings) => void;
}

const NAMES = { week: 'Weekly figures', month: 'Monthly figures' } as const;
type Period = keyof typeof PERIODS;

/** The form of a report: a new one is filled in so that nothing has to be chosen. */
export function ReportForm({ organizationId, report, names = [], onSubmit, ...section }: ReportFormProps) {
  const { data: destinations } = useSuspenseQuery(destinationsQuery(organizationId));
  const [name, setName] = useState<string>();
  const [period, setPeriod] = useState<Period>(report?.period ?? 'week');
  const [websiteIds, setWebsiteIds] = useState(report?.websiteIds ?? null);
  const possible = destinations.filter(({ kind }) => kind !== 'audit');
  const mails = possible.filter(({ kind, websiteIds: told }) => kind === 'mail' && told === null);
  const usual = mails.length > 0 || possible.length > 1 ? mails : possible;
  const [destinationIds, setDestinationIds] = useState(report?.destinationIds ?? usual.map(({ id }) => id));
  const submit = ({ name: text = '', timezone }: Texts) =>
    onSubmit({ name: text, period, timezone: timezone || OWN_ZONE, websiteIds, destinationIds: [...destinationIds] });
  const suggested = report?.name ?? (names.includes(NAMES[period]) ? '' : NAMES[period]);
  return (
    <FormSection title="Settings" variant="primary" onSubmit={submit} {...section}>
      <Input
        label="Name"
        name="name"
        required
        value={name ?? suggested}
        onChange={({ target }) => setName(target.value)}
      />
      <FieldGroup legend="Period" field="period">
        {(Object.keys(PERIODS) as Period[]).map((each) => (
          <ChoiceInput
            key={each}
            type="radio"
            name="period"
            label={PERIODS[each]}
            checked={each === period}
            onChange={() => setPeriod(each)}
          />
        ))}
      </FieldGroup>
      <TimeZoneInput
        defaultValue={report?.timezone}
        hint="The report counts days of this time zone, and is sent at 08:00."
      />
      <WebsitesField organizationId={organizationId} websiteIds={websiteIds} onChange={setWebsiteIds} />
      <DestinationsField
        organizationId={organizationId}
        destinations={possible}
        chosen={destinationIds}
        onChange={setDestinationIds}
      />
    </FormSection>
  );
}

interface WebsitesFieldProps {
  readonly organizationId: string;
  /** Null = all. */
  readonly websiteIds: readonly string[] | null;
  readonly onChange: (websiteIds: string[] | null) => void;
}

function WebsitesField({ organizationId, websiteIds, onChange }: WebsitesFieldProps) {
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  return (
    <FieldGroup legend="Websites" field="websiteIds">
      <ChoiceInput
        type="radio"
        name="websites"
        label="All, including future ones"
        checked={websiteIds === null}
        onChange={() => onChange(null)}
      />
      <ChoiceInput
        type="radio"
        name="websites"
        label="Only some"
        checked={websiteIds !== null}
        onChange={() => onChange(websiteIds?.slice() ?? websites.slice(0, 1).map(({ id }) => id))}
      />
      {websiteIds !== null &&
        websites.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={websiteIds.includes(id)}
            onChange={({ target }) => onChange(toggled(websiteIds, id, target.checked))}
          />
        ))}
    </FieldGroup>
  );
}

interface DestinationsFieldProps {
  readonly organizationId: string;
  readonly destinations: readonly DestinationDto[];
  readonly chosen: readonly string[];
  readonly onChange: (destinationIds: string[]) => void;
}

function DestinationsField({ organizationId, destinations, chosen, onChange }: DestinationsFieldProps) {
  return (
    <FieldGroup legend="Sent to" field="destinationIds">
      {destinations.map(({ id, name, format, url }) => (
        <Checkbox
          key={id}
          label={name}
          hint={`${DESTINATION_FORMAT_LABELS[format].name} at ${url}`}
          checked={chosen.includes(id)}
          onChange={({ target }) => onChange(toggled(chosen, id, target.checked))}
        />
      ))}
      <p className="hint">
        {destinations.length === 0 && 'There is no mailbox or webhook yet: '}
        <Link to="/organizations/$organizationId/destinations/new" params={{ organizationId }}>
          New destination
        </Link>
      </p>
    </FieldGroup>
  );
}

const toggled = (ids: readonly string[], id: string, isChosen: boolean): string[] =>
  isChosen ? [...ids, id] : ids.filter((each) => each !== id);

interface NewReportProps {
  readonly organizationId: string;
  readonly names: readonly string[];
}

export function NewReport({ organizationId, names }: NewReportProps) {
  const create = useCreateRecord('/v1/reports');
  const navigate = useNavigate();
  const show = (search: { report?: string }) =>
    void navigate({ to: '/organizations/$organizationId/reports', params: { organizationId }, search });
  return (
    <div className="page">
      <PageHeader title="New report" description="The first one covers the current week or month" />
      <ReportForm
        organizationId={organizationId}
        names={names}
        submit="Create the report"
        change={create}
        onSubmit={(settings) =>
          create.mutate({ organizationId, ...settings }, { onSuccess: ({ id }) => show({ report: id }) })
        }
        cancel={
          <Link className="button" to="." search={{}}>
            Cancel
          </Link>
        }
      />
    </div>
  );
}
