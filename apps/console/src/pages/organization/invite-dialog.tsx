import { fieldMessage } from '../../api/failure';
import { isAtLeast, ROLES, useInvite, type Role } from '../../api/members';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { notify } from '../../components/toasts';
import { ROLE_HINT } from './member-actions';

interface InviteDialogProps {
  readonly organizationId: string;
  /** Of the one who invites: nobody gives a role above their own. */
  readonly role: Role | undefined;
  readonly onClose: () => void;
}

export function InviteDialog({ organizationId, role, onClose }: InviteDialogProps) {
  const invite = useInvite(organizationId);
  const roles = ROLES.filter(([each]) => isAtLeast(role, each));
  const submit = ({ email = '', role: chosen }: Readonly<Record<string, string>>) =>
    invite.mutate(
      { email, role: ROLES.find(([each]) => each === chosen)?.[0] ?? 'member' },
      {
        onSuccess: () => {
          notify(`${email} is invited`);
          onClose();
        },
      },
    );
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <Form onSubmit={submit} error={invite.error} fields={['email', 'role']}>
        <Input
          label="Email"
          name="email"
          type="email"
          required
          hint="The person gets a mail, and accepts with an account of this address within seven days."
          error={fieldMessage(invite.error, 'email')}
        />
        <Select label="Role" name="role" options={roles} hint={ROLE_HINT} error={fieldMessage(invite.error, 'role')} />
        <FormActions submit="Invite" variant="primary" isBusy={invite.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
