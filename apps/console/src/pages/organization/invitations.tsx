import type { InvitationDto } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationsQuery, ROLES, useRevokeInvitation } from '../../api/members';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { CopyButton } from '../../components/copy-button';
import { ErrorState } from '../../components/error-state';
import { Section } from '../../components/section';
import { Skeleton } from '../../components/skeleton';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { BASE } from '../../layout/base';

/** The pending ones. Their links can be given to the person where no mail arrives. */
export function Invitations({ organizationId }: { readonly organizationId: string }) {
  const { data, error, refetch } = useQuery(invitationsQuery(organizationId));
  return (
    <Section title="Invitations" description="Sent by mail, not accepted yet.">
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} label="the invitations" />}
      {data?.length === 0 && <p className="soft">No invitation is pending.</p>}
      {data && data.length > 0 && (
        <Table caption="Pending invitations" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
      )}
    </Section>
  );
}

const pageOf = ({ id }: InvitationDto): string => `${location.origin}${BASE}/accept-invitation#invitation=${id}`;

const COLUMNS: readonly Column<InvitationDto>[] = [
  { header: 'Email', cell: ({ email }) => email ?? 'Erased' },
  { header: 'Role', cell: ({ role }) => ROLES.find(([each]) => each === role)?.[1] },
  { header: 'Valid until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    header: 'Link',
    cell: (invitation) => <CopyButton text={pageOf(invitation)} label={`the link for ${invitation.email ?? 'it'}`} />,
  },
  { header: 'Change', cell: (invitation) => <Revocation invitation={invitation} /> },
];

function Revocation({ invitation: { id, organizationId, email } }: { readonly invitation: InvitationDto }) {
  const [isAsked, setAsked] = useState(false);
  const revoke = useRevokeInvitation(organizationId);
  return (
    <>
      <Button variant="quiet" aria-label={`Revoke the invitation of ${email ?? id}`} onClick={() => setAsked(true)}>
        Revoke
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Revoke the invitation?"
          action="Revoke"
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(id)}
          onClose={() => setAsked(false)}
        >
          <p>The link of the mail to {email ?? 'the person'} works no longer.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
