import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ErasureDto } from '@ledgerline/client';
import { erasuresQuery } from '../../api/erasures';
import { useOwnRole } from '../../api/organizations';
import { Badge, Time, type Tone } from '../../components/page-parts';
import { ErrorState, Skeleton } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';

/** The latest erasures with their states; for owners. Folded, so that what comes late moves nothing. */
export function LatestErasures({ organizationId }: { readonly organizationId: string }) {
  const isOwner = useOwnRole(organizationId) === 'owner';
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({ ...erasuresQuery(organizationId), enabled: isOwner && isOpen });
  if (!isOwner) return null;
  return (
    <details className="more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Erasures of people and visitors</summary>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isOpen && !data && !error && <Skeleton lines={2} label="the erasures" />}
      {data?.data.length === 0 && <p className="soft">No erasures yet.</p>}
      {data && data.data.length > 0 && (
        <Table caption="The latest erasures" columns={COLUMNS} rows={data.data} keyOf={({ id }) => id} />
      )}
    </details>
  );
}

const STATES: Readonly<Record<ErasureDto['state'], readonly [Tone, string]>> = {
  completed: ['good', 'Completed'],
  erasing: ['neutral', 'Under way'],
  account_kept: ['neutral', 'Account kept'],
  incomplete: ['danger', 'A key exists again: repeat it'],
};

const COLUMNS: readonly TableColumn<ErasureDto>[] = [
  { header: 'Whom', cell: ({ subject }) => whomOf(subject) },
  { header: 'Requested', cell: ({ completedAt }) => <Time at={completedAt} /> },
  {
    header: 'State',
    cell: ({ state, files }) => (
      <>
        <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>
        {files && !files.isDone && (
          <span className="soft">
            {' '}
            out of files by <Time at={files.by} />
          </span>
        )}
      </>
    ),
  },
];

function whomOf({ userId, invitationId, profile, visitors }: ErasureDto['subject']): string {
  if (userId !== undefined) return `Person ${userId}`;
  if (invitationId !== undefined) return `Invitation ${invitationId}`;
  return `Visitor ${(profile ?? visitors?.[0] ?? '').slice(0, 8)}`;
}
