import type { MemberDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { isAtLeast, membersQuery, ROLES, useOwnRole } from '../../api/members';
import { Button } from '../../components/button';
import { PageHeader } from '../../components/page-header';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { InviteDialog } from './invite-dialog';
import { Invitations } from './invitations';
import { MemberActions } from './member-actions';

const route = getRouteApi('/signed-in/organizations/$organizationId/members');

/** Who belongs to an organization, and who is invited. */
export function MembersPage() {
  const { organizationId } = route.useParams();
  const { organization, user } = route.useRouteContext();
  const { data: members } = useSuspenseQuery(membersQuery(organizationId));
  const role = useOwnRole(organizationId);
  const [isInviting, setInviting] = useState(false);
  const mayInvite = isAtLeast(role, 'admin');
  const actions: Column<MemberDto> = {
    header: 'Change',
    cell: (member) => <MemberActions member={member} ownId={user.id} role={role} />,
  };
  return (
    <div className="page">
      <PageHeader
        title="Members"
        description={`Who belongs to ${organization.name}`}
        actions={
          mayInvite && (
            <Button variant="primary" onClick={() => setInviting(true)}>
              Invite a person
            </Button>
          )
        }
      />
      <Table caption="Members" columns={[...COLUMNS, actions]} rows={members} keyOf={({ id }) => id} />
      {mayInvite && <Invitations organizationId={organizationId} />}
      {isInviting && <InviteDialog organizationId={organizationId} role={role} onClose={() => setInviting(false)} />}
    </div>
  );
}

const COLUMNS: readonly Column<MemberDto>[] = [
  { header: 'Name', cell: ({ name }) => name ?? 'Deleted account' },
  { header: 'Email', cell: ({ email }) => email },
  { header: 'Role', cell: ({ role }) => ROLES.find(([each]) => each === role)?.[1] },
  { header: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
];
