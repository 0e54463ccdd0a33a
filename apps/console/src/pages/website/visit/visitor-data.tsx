import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../../api/failure';
import { useOwnRole } from '../../../api/organizations';
import { erasurePreviewQuery, useEraseVisitor, useExportVisitor } from '../../../api/visitor-data';
import { Button, saveFile } from '../../../components/button';
import { ConfirmDialog } from '../../../components/confirm-dialog';
import { ErrorState, Skeleton } from '../../../components/states';
import { notify } from '../../../components/toasts';

interface VisitorDataProps {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly visitorId: string;
  readonly profileId: string | null | undefined;
}

/** Exports what is held of a visitor, or forgets it; for owners. Of a known person all visits, under every id. */
export function VisitorData({ organizationId, websiteId, visitorId, profileId }: VisitorDataProps) {
  const [isAsked, setAsked] = useState(false);
  const exported = useExportVisitor();
  if (useOwnRole(organizationId) !== 'owner') return null;
  const whom = typeof profileId === 'string' && profileId !== '' ? { profileId } : { visitorId };
  const wanted = { organizationId, subject: { websiteId, ...whom } };
  const save = () =>
    exported.mutate(wanted, {
      onSuccess: (file) => saveFile('visitor.ndjson', file, 'application/x-ndjson'),
      onError: (error) => notify(messageOf(error)),
    });
  return (
    <>
      <Button isBusy={exported.isPending} onClick={save}>
        Export
      </Button>
      <Button onClick={() => setAsked(true)}>Forget</Button>
      {isAsked && <ForgetDialog wanted={wanted} onClose={() => setAsked(false)} />}
    </>
  );
}

interface ForgetDialogProps {
  readonly wanted: Parameters<typeof erasurePreviewQuery>[0];
  readonly onClose: () => void;
}

function ForgetDialog({ wanted, onClose }: ForgetDialogProps) {
  const { data, error, refetch } = useQuery(erasurePreviewQuery(wanted));
  const erase = useEraseVisitor();
  const confirm = () =>
    erase.mutate(wanted, {
      onSuccess: () => {
        onClose();
        notify('The visitor is being erased; the audit log shows how far it is');
      },
    });
  return (
    <ConfirmDialog title="Forget this visitor?" action="Forget" change={erase} onConfirm={confirm} onClose={onClose}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} label="what would go" />}
      {data && (
        <p>
          Events: {data.events}, sessions: {data.sessions}, clicks on short links: {data.clicks}. They leave every
          figure, also of the past; what arrives late is left out, too.
        </p>
      )}
      <p>This cannot be undone. Who comes back counts as a new visitor.</p>
    </ConfirmDialog>
  );
}
