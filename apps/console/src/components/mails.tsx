import { useQuery } from '@tanstack/react-query';
import { signUpModeQuery } from '../api/account';

/** Tells how mails of this installation leave; undefined while it is not known. */
export const useMailWay = () => useQuery(signUpModeQuery).data?.mail;

const FOLDER = 'the folder mails of its data directory (DATA_DIR; with npm start .data/mails)';

/** Where an invitation is that no mail server has sent. */
export const INVITATIONS_WITHOUT_SERVER = {
  files: `This installation has no mail server: pass the link on yourself. The mail is in ${FOLDER}.`,
  nothing: 'This installation has no mail server, and no mail is sent: pass the link on yourself.',
};

interface MailStateProps {
  /** `If ada@example.com has an account` */
  readonly condition: string;
  /** A sentence on the link in it. */
  readonly link?: string;
}

/** Where a mail with a link is that was asked for. */
export function MailState({ condition, link = '' }: MailStateProps) {
  const way = useMailWay();
  if (way === undefined) return null;
  if (way === 'nothing')
    return <>This installation has no mail server, and no mail is sent. Ask those who run it to set SMTP_URL.</>;
  const where = way === 'smtp' ? 'on its way.' : `in ${FOLDER}. Those who run it can pass the link on.`;
  return (
    <>
      {way === 'files' && 'This installation has no mail server. '}
      {condition}, a mail with a link is {where} {link}
    </>
  );
}
