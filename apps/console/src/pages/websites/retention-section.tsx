import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebsiteDto } from '@ledgerline/client';
import { useUpdateRecord } from '../../api/record-changes';
import { retentionPreviewQuery } from '../../api/retention';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { declareForm, FormFields, valuesIn } from '../../components/declared-form';
import type { Texts } from '../../components/form';
import { FormSection } from '../../components/page-parts';
import { ErrorState, Skeleton } from '../../components/states';
import { notify } from '../../components/toasts';

/** For owners: how long sessions and events are kept, which is saved once they have seen what goes. */
export function RetentionSection({ website }: { readonly website: WebsiteDto }) {
  const [asked, setAsked] = useState<{ readonly days: number | null }>();
  const change = useUpdateRecord('/v1/websites', website.id);
  const submit = (texts: Texts) => setAsked({ days: valuesIn(KEPT, texts).retentionDays ?? null });
  const confirm = () =>
    change.mutate(
      { retentionDays: asked?.days ?? null },
      {
        onSuccess: () => {
          setAsked(undefined);
          notify('The retention is saved');
        },
      },
    );
  return (
    <FormSection title="Retention" change={change} onSubmit={submit} submit="Show what goes">
      <FormFields form={KEPT} record={website} />
      {asked && (
        <ConfirmDialog
          title={asked.days === null ? 'Keep everything?' : `Keep ${asked.days} days?`}
          action="Save"
          change={change}
          onConfirm={confirm}
          onClose={() => setAsked(undefined)}
        >
          {asked.days !== null && <WhatGoes id={website.id} days={asked.days} />}
          <p>What was deleted does not come back with a longer time.</p>
        </ConfirmDialog>
      )}
    </FormSection>
  );
}

const KEPT = declareForm('RegisterWebsiteDto', {
  retentionDays: { label: 'Days for which sessions and events are kept', hint: 'Empty: for ever.' },
});

function WhatGoes({ id, days }: { readonly id: string; readonly days: number }) {
  const { data, error, refetch } = useQuery(retentionPreviewQuery(id, days));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} label="what would go" />;
  const { before, sessions, events, deletedBefore, stay, end } = data;
  return (
    <>
      <p>
        Before {before}: {sessions} sessions with {events} events go, from tomorrow on, a week at a time. Their payloads
        stay in the log.
      </p>
      <p>Counts by day stay, without filters and hours: {stay.length} reports answer as before.</p>
      <details>
        <summary>{end.length} reports have nothing of those days any more</summary>
        <p>{end.join(', ')}</p>
      </details>
      {deletedBefore !== null && <p>Before {deletedBefore} that is deleted already.</p>}
    </>
  );
}
