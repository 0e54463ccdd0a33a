import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MemberDto } from '@ledgerline/client';
import { useChangeRole, useLeaveOrganization, useRemoveMember } from '../../api/member-changes';
import { isAtLeast, membersQuery, ROLE_OPTIONS, useOwnRole, type MemberRole } from '../../api/organizations';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Select } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { Dialog } from '../../components/overlays';
import { PageHeader } from '../../components/page';
import { Time } from '../../components/page-parts';
import { Table, type TableColumn } from '../../components/table';
import { notify } from '../../components/toasts';
import { Invitations, InviteDialog, ROLE_HINT } from './invitations.page';

const route = getRouteApi('/signed-in/organizations/$organizationId/members');

/** Shows who belongs to an organization, and who is invited. */
export function MembersPage() {
  const { organizationId } = route.useParams();
  const { organization, user } = route.useRouteContext();
  const { data: members } = useSuspenseQuery(membersQuery(organizationId));
  const role = useOwnRole(organizationId);
  const [isInviting, setInviting] = useState(false);
  const mayInvite = isAtLeast(role, 'admin');
  const actions: TableColumn<MemberDto> = {
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

const COLUMNS: readonly TableColumn<MemberDto>[] = [
  { header: 'Name', cell: ({ name }) => name ?? 'Deleted account' },
  { header: 'Email', cell: ({ email }) => email },
  { header: 'Role', cell: ({ role }) => ROLE_OPTIONS.find(([each]) => each === role)?.[1] },
  { header: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
];

interface MemberActionsProps {
  readonly member: MemberDto;
  readonly ownId: string;
  readonly role: MemberRole | undefined;
}

/** Shows what the signed-in person may change of a member; everybody may leave. */
function MemberActions({ member, ownId, role }: MemberActionsProps) {
  const [open, setOpen] = useState<'role' | 'removal'>();
  const close = () => setOpen(undefined);
  const isSelf = member.id === ownId;
  const mayRemove = isAtLeast(role, 'admin') && isAtLeast(role, member.role);
  const who = member.name ?? member.id;
  return (
    <span className="row-actions">
      {role === 'owner' && (
        <Button variant="quiet" aria-label={`Change the role of ${who}`} onClick={() => setOpen('role')}>
          Role
        </Button>
      )}
      {(isSelf || mayRemove) && (
        <Button
          variant="quiet"
          aria-label={isSelf ? 'Leave the organization' : `Remove ${who}`}
          onClick={() => setOpen('removal')}
        >
          {isSelf ? 'Leave' : 'Remove'}
        </Button>
      )}
      {open === 'role' && <RoleDialog member={member} onClose={close} />}
      {open === 'removal' &&
        (isSelf ? <Leaving member={member} onClose={close} /> : <Removal member={member} onClose={close} />)}
    </span>
  );
}

interface MemberDialogProps {
  readonly member: MemberDto;
  readonly onClose: () => void;
}

function RoleDialog({ member, onClose }: MemberDialogProps) {
  const change = useChangeRole(member.organizationId);
  const submit = ({ role }: Texts) =>
    change.mutate(
      { userId: member.id, role: ROLE_OPTIONS.find(([each]) => each === role)?.[0] ?? member.role },
      { onSuccess: onClose },
    );
  return (
    <Dialog title={`Role of ${member.name ?? member.id}`} onClose={onClose}>
      <Form onSubmit={submit} change={change}>
        <Select label="Role" name="role" options={ROLE_OPTIONS} defaultValue={member.role} hint={ROLE_HINT} />
        <FormActions submit="Save the role" variant="primary" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

function Removal({ member, onClose }: MemberDialogProps) {
  const removal = useRemoveMember(member.organizationId);
  const remove = () =>
    removal.mutate(member.id, { onSuccess: () => notify(`${member.name ?? member.id} is no member any more`) });
  return (
    <ConfirmDialog
      title={`Remove ${member.name ?? member.id}?`}
      action="Remove"
      change={removal}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>The person sees nothing of the organization from then on, and can be invited again.</p>
    </ConfirmDialog>
  );
}

function Leaving({ member, onClose }: MemberDialogProps) {
  const leaving = useLeaveOrganization(member.organizationId);
  const navigate = useNavigate();
  const leave = () => leaving.mutate(member.id, { onSuccess: () => void navigate({ to: '/' }) });
  return (
    <ConfirmDialog title="Leave the organization?" action="Leave" change={leaving} onConfirm={leave} onClose={onClose}>
      <p>You see nothing of it from then on, and come back by an invitation only.</p>
    </ConfirmDialog>
  );
}
