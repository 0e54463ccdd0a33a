import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateStatusPageDto, MonitorDto, StatusPageDto } from '@ledgerline/client';
import { readableAddress } from '../../addresses/readable-address';
import { monitorsQuery } from '../../api/monitors';
import { useCreateRecord } from '../../api/record-changes';
import { Button } from '../../components/button';
import { Checkbox, FieldGroup } from '../../components/choices';
import { FormFields, declareForm, valuesIn } from '../../components/declared-form';
import { Input } from '../../components/field';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { FormSection, type FormSectionProps } from '../../components/page-parts';

interface MonitorsChoiceProps {
  readonly legend: string;
  readonly monitors: readonly MonitorDto[];
  /** Ids, in the order in which they are shown. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** True if their order counts. */
  readonly isOrdered?: boolean;
}

/** Some of the monitors; those that are chosen come first. */
export function MonitorsChoice({ legend, monitors, chosen, onChange, isOrdered = false }: MonitorsChoiceProps) {
  const first = chosen.flatMap((id) => monitors.find((monitor) => monitor.id === id) ?? []);
  const rest = monitors.filter(({ id }) => !chosen.includes(id));
  const moveUp = (at: number) => onChange(chosen.toSpliced(at - 1, 2, ...chosen.slice(at - 1, at + 1).toReversed()));
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <FieldGroup className="group" legend={legend} field="monitorIds">
      {monitors.length === 0 && <p className="hint">There are no monitors yet.</p>}
      {[...first, ...rest].map(({ id, name, url }) => {
        const at = chosen.indexOf(id);
        return (
          <div key={id} className="chosen-monitor">
            <Checkbox label={name} hint={readableAddress(url)} checked={at >= 0} onChange={() => toggle(id)} />
            {isOrdered && at > 0 && (
              <Button variant="quiet" aria-label={`Move ${name} up`} onClick={() => moveUp(at)}>
                Move up
              </Button>
            )}
          </div>
        );
      })}
    </FieldGroup>
  );
}

const route = getRouteApi('/signed-in/organizations/$organizationId/status-pages/new');

export function NewStatusPagePage() {
  const { organizationId } = route.useParams();
  const { data: monitors } = useSuspenseQuery(monitorsQuery(organizationId));
  const create = useCreateRecord('/v1/status-pages');
  const navigate = route.useNavigate();
  const submit = (settings: StatusPageInput, slug: string) =>
    create.mutate(
      { organizationId, slug, ...settings },
      {
        onSuccess: ({ id }) =>
          void navigate({
            to: '/organizations/$organizationId/status-pages/$statusPageId',
            params: { organizationId, statusPageId: id },
          }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New status page" />
      <StatusPageForm
        monitors={monitors}
        change={create}
        onSubmit={submit}
        submit="Create the status page"
        cancel={
          <Link className="button" to="/organizations/$organizationId/status-pages" params={{ organizationId }}>
            Cancel
          </Link>
        }
      />
    </div>
  );
}

const FORM = declareForm(
  'CreateStatusPageDto',
  { name: { label: 'Name' } },
  { description: { label: 'Description', rows: 2, hint: 'Shown below the name' } },
  {
    timezone: {
      label: 'Time zone',
      usual: Intl.DateTimeFormat().resolvedOptions().timeZone,
      hint: 'For the times on the page',
    },
  },
  { isPublic: { label: 'Public' } },
);

/** The settings of the form, for the api. */
export type StatusPageInput = Omit<CreateStatusPageDto, 'organizationId' | 'slug'>;

interface StatusPageFormProps extends Pick<FormSectionProps, 'description' | 'change' | 'submit' | 'cancel'> {
  /** Absent for a new one. */
  readonly page?: StatusPageDto;
  readonly monitors: readonly MonitorDto[];
  readonly onSubmit: (settings: StatusPageInput, slug: string) => void;
}

export function StatusPageForm({ page, monitors, onSubmit, ...section }: StatusPageFormProps) {
  const [monitorIds, setMonitorIds] = useState<readonly string[]>(page?.monitorIds ?? []);
  const submit = (texts: Texts) =>
    onSubmit({ ...valuesIn(FORM, texts), monitorIds: [...monitorIds] }, texts['slug'] ?? '');
  return (
    <FormSection title="Settings" variant="primary" onSubmit={submit} {...section}>
      {!page && (
        <Input label="Slug" name="slug" required hint={`${location.origin}/status/<slug>. It cannot be changed.`} />
      )}
      <FormFields form={FORM} record={page} />
      <MonitorsChoice legend="Monitors" monitors={monitors} chosen={monitorIds} onChange={setMonitorIds} isOrdered />
    </FormSection>
  );
}
