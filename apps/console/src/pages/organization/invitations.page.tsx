import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useRouteContext } from '@tanstack/react-router';
import type { InvitationDto } from '@ledgerline/client';
import { codeOf } from '../../api/failure';
import { invitationsQuery, useAcceptInvitation, useInvite, useRevokeInvitation } from '../../api/member-changes';
import { isAtLeast, ROLE_OPTIONS, type MemberRole } from '../../api/organizations';
import { Button, CopyButton } from '../../components/button';
import { ConfirmedButton } from '../../components/confirm-dialog';
import { Input, Select } from '../../components/field';
import { Form, FormActions, FormError, type Texts } from '../../components/form';
import { INVITATIONS_WITHOUT_SERVER, useMailWay } from '../../components/mails';
import { Dialog } from '../../components/overlays';
import { PageHeader } from '../../components/page';
import { Section, Time } from '../../components/page-parts';
import { ErrorState, Notice, Skeleton } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';
import { notify } from '../../components/toasts';
import { BASE } from '../../layout/layout.routes';

/** The pending ones. Their links can be given to the person where no mail arrives. */
export function Invitations({ organizationId }: { readonly organizationId: string }) {
  const { data, error, refetch } = useQuery(invitationsQuery(organizationId));
  const way = useMailWay();
  const sent = way === 'smtp' ? 'Sent by mail, not accepted yet.' : 'Not accepted yet.';
  const lying = way === undefined || way === 'smtp' ? '' : INVITATIONS_WITHOUT_SERVER[way];
  return (
    <Section title="Invitations" description={`${sent} ${lying}`}>
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

const COLUMNS: readonly TableColumn<InvitationDto>[] = [
  { header: 'Email', cell: ({ email }) => email ?? 'Erased' },
  { header: 'Role', cell: ({ role }) => ROLE_OPTIONS.find(([each]) => each === role)?.[1] },
  { header: 'Valid until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    header: 'Link',
    cell: (invitation) => <CopyButton text={pageOf(invitation)} label={`the link for ${invitation.email ?? 'it'}`} />,
  },
  { header: 'Change', cell: (invitation) => <Revocation invitation={invitation} /> },
];

function Revocation({ invitation: { id, organizationId, email } }: { readonly invitation: InvitationDto }) {
  const revoke = useRevokeInvitation(organizationId);
  return (
    <ConfirmedButton
      text="Revoke"
      variant="quiet"
      aria-label={`Revoke the invitation of ${email ?? id}`}
      title="Revoke the invitation?"
      action="Revoke"
      change={revoke}
      onConfirm={() => revoke.mutate(id)}
    >
      <p>The link of the mail to {email ?? 'the person'} works no longer.</p>
    </ConfirmedButton>
  );
}

/** Says what each role may do. */
export const ROLE_HINT =
  'Members read statistics and manage links. Admins also change websites, flags, monitors, keys and members. Owners also change roles, retention and the organization itself.';

interface InviteDialogProps {
  readonly organizationId: string;
  /** The role of the one who invites: no role above their own can be given. */
  readonly role: MemberRole | undefined;
  readonly onClose: () => void;
}

export function InviteDialog({ organizationId, role, onClose }: InviteDialogProps) {
  const invite = useInvite(organizationId);
  const way = useMailWay();
  const roles = ROLE_OPTIONS.filter(([each]) => isAtLeast(role, each));
  const submit = ({ email = '', role: chosen }: Texts) =>
    invite.mutate(
      { email, role: ROLE_OPTIONS.find(([each]) => each === chosen)?.[0] ?? 'member' },
      {
        onSuccess: () => {
          if (way === 'smtp') onClose();
          notify(`${email} is invited`);
        },
      },
    );
  if (invite.data && way !== 'smtp') return <InvitationLink invitation={invite.data} onClose={onClose} />;
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <Form onSubmit={submit} change={invite}>
        <Input
          label="Email"
          name="email"
          type="email"
          required
          hint={`${way === 'smtp' ? 'The person gets a mail' : 'You get a link for the person'}, who accepts with an account of this address within seven days.`}
        />
        <Select label="Role" name="role" options={roles} hint={ROLE_HINT} />
        <FormActions submit="Invite" variant="primary" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

interface InvitationLinkProps {
  readonly invitation: InvitationDto;
  readonly onClose: () => void;
}

/** Shows what no mail server has sent to the person. */
function InvitationLink({ invitation, onClose }: InvitationLinkProps) {
  const way = useMailWay();
  const link = pageOf(invitation);
  return (
    <Dialog title={`${invitation.email} is invited`} onClose={onClose}>
      <p>{INVITATIONS_WITHOUT_SERVER[way === 'files' ? way : 'nothing']}</p>
      <pre className="snippet" tabIndex={0} aria-label="The link">
        <code>{link}</code>
      </pre>
      <div className="form-actions">
        <CopyButton text={link} label={`the link for ${invitation.email}`} />
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

/** Only the account with the invited address can accept: the api shows others nothing of an invitation. */
export function InvitationPage() {
  const id = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('invitation') ?? '' });
  const { user } = useRouteContext({ from: '/signed-in' });
  const accept = useAcceptInvitation();
  const navigate = useNavigate();
  const join = () =>
    accept.mutate(id, {
      onSuccess: ({ organizationId }) =>
        void navigate({ to: '/organizations/$organizationId/websites', params: { organizationId }, replace: true }),
    });
  const isUnknown = id === '' || (accept.error !== null && codeOf(accept.error) === 'NOT_FOUND');
  return (
    <div className="page">
      <PageHeader title="Accept an invitation" />
      <Section title={`You are signed in as ${user.email}`}>
        {isUnknown ? (
          <Notice tone="danger">
            There is no such invitation for {user.email}. It may be for another address, accepted, revoked, or older
            than seven days.
          </Notice>
        ) : (
          <>
            <p>You become a member of the organization that invited this address.</p>
            <FormError error={accept.error} />
            <div className="form-actions">
              <Button variant="primary" isBusy={accept.isPending} onClick={join}>
                Accept the invitation
              </Button>
            </div>
          </>
        )}
      </Section>
    </div>
  );
}
