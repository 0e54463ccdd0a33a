import { messageOf } from '../../api/failure';
import { useSendVerification } from '../../api/session';
import { Button } from '../../components/button';
import { Notice } from '../../components/notice';

/** Sends the mail again that confirms an address; the same for an address without an account. */
export function SendAgain({ email }: { readonly email: string }) {
  const send = useSendVerification();
  if (send.isSuccess)
    return <Notice tone="info">If the account at {email} waits for it, another mail is on its way.</Notice>;
  return (
    <>
      {send.error && <Notice tone="danger">{messageOf(send.error)}</Notice>}
      <Button isBusy={send.isPending} onClick={() => send.mutate(email)}>
        Send the mail again
      </Button>
    </>
  );
}
