import type { MemberDto } from '@ledgerline/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldMessage } from '../../api/failure';
import { isAtLeast, ROLES, useChangeRole, useLeaveOrganization, useRemoveMember, type Role } from '../../api/members';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Select } from '../../components/select';
import { notify } from '../../components/toasts';

interface MemberActionsProps {
  readonly member: MemberDto;
  readonly ownId: string;
  readonly role: Role | undefined;
}

/** What the signed-in person may change of a member; everybody may leave. */
export function MemberActions({ member, ownId, role }: MemberActionsProps) {
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
  const submit = ({ role }: Readonly<Record<string, string>>) =>
    change.mutate(
      { userId: member.id, role: ROLES.find(([each]) => each === role)?.[0] ?? member.role },
      { onSuccess: onClose },
    );
  return (
    <Dialog title={`Role of ${member.name ?? member.id}`} onClose={onClose}>
      <Form onSubmit={submit} error={change.error} fields={['role']}>
        <Select
          label="Role"
          name="role"
          options={ROLES}
          defaultValue={member.role}
          hint={ROLE_HINT}
          error={fieldMessage(change.error, 'role')}
        />
        <FormActions submit="Save the role" variant="primary" isBusy={change.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

export const ROLE_HINT =
  'Members read statistics and manage links. Admins also change websites, flags, monitors, keys and members. Owners also change roles, retention and the organization itself.';

function Removal({ member, onClose }: MemberDialogProps) {
  const removal = useRemoveMember(member.organizationId);
  const remove = () =>
    removal.mutate(member.id, { onSuccess: () => notify(`${member.name ?? member.id} is no member any more`) });
  return (
    <ConfirmDialog
      title={`Remove ${member.name ?? member.id}?`}
      action="Remove"
      isBusy={removal.isPending}
      error={removal.error}
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
    <ConfirmDialog
      title="Leave the organization?"
      action="Leave"
      isBusy={leaving.isPending}
      error={leaving.error}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>You see nothing of it from then on, and come back by an invitation only.</p>
    </ConfirmDialog>
  );
}
