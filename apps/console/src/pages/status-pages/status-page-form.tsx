import type { MonitorDto, StatusPageDto } from '@ledgerline/client';
import { useState, type ReactNode } from 'react';
import { fieldMessage } from '../../api/failure';
import { Checkbox } from '../../components/checkbox';
import { Form, FormEnd } from '../../components/form';
import { Input } from '../../components/input';
import { Textarea } from '../../components/textarea';
import { MonitorsChoice } from './monitors-choice';

/** What the form says, for the api. */
export interface StatusPageSettings {
  readonly name: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly timezone: string;
  readonly monitorIds: string[];
}

interface StatusPageFormProps {
  /** Absent for a new one. */
  readonly page?: StatusPageDto;
  readonly monitors: readonly MonitorDto[];
  readonly error: Error | null;
  readonly onSubmit: (settings: StatusPageSettings, slug: string) => void;
  readonly children: ReactNode;
}

const FIELDS = ['name', 'slug', 'description', 'timezone', 'monitorIds'];

export function StatusPageForm({ page, monitors, error, onSubmit, children }: StatusPageFormProps) {
  const [monitorIds, setMonitorIds] = useState<readonly string[]>(page?.monitorIds ?? []);
  const submit = ({
    name = '',
    slug = '',
    description = '',
    timezone = '',
    isPublic,
  }: Readonly<Record<string, string>>) =>
    onSubmit(
      {
        name,
        description: description || null,
        isPublic: isPublic !== undefined,
        timezone,
        monitorIds: [...monitorIds],
      },
      slug,
    );
  return (
    <Form onSubmit={submit} error={error} fields={FIELDS}>
      <div className="form-row">
        <Input label="Name" name="name" defaultValue={page?.name} required error={fieldMessage(error, 'name')} />
        {!page && (
          <Input
            label="Slug"
            name="slug"
            required
            hint={`The address is ${location.origin}/status/<slug>. It is fixed.`}
            error={fieldMessage(error, 'slug')}
          />
        )}
      </div>
      <Textarea
        label="Description"
        name="description"
        rows={2}
        defaultValue={page?.description ?? ''}
        hint="Shown under the name."
        error={fieldMessage(error, 'description')}
      />
      <Input
        label="Time zone"
        name="timezone"
        required
        defaultValue={page?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
        hint="Of the times that it shows, such as Europe/Berlin."
        error={fieldMessage(error, 'timezone')}
      />
      <MonitorsChoice
        legend="Monitors that are shown"
        monitors={monitors}
        chosen={monitorIds}
        onChange={setMonitorIds}
        isOrdered
        error={fieldMessage(error, 'monitorIds')}
      />
      <Checkbox label="Everybody finds the page" name="isPublic" defaultChecked={page?.isPublic ?? false} />
      <FormEnd>{children}</FormEnd>
    </Form>
  );
}
