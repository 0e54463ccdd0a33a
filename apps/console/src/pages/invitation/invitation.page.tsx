import { useLocation, useNavigate, useRouteContext } from '@tanstack/react-router';
import { codeOf } from '../../api/failure';
import { useAcceptInvitation } from '../../api/members';
import { Button } from '../../components/button';
import { FormError } from '../../components/form-error';
import { Notice } from '../../components/notice';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';

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
