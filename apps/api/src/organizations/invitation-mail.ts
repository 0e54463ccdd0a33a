import { consolePage } from '../accounts/account-mails';
import { addressProof } from '../accounts/token-hash';
import type { Mail } from '../accounts/mail-delivery';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Plain } from '../http/record.dto';
import type { InvitationDto } from './invitation.dto';

/**
 * What the invited person gets. The id in the link is known to those who invited, too; the account with this address needs
 * it. The proof is in the link alone: with it a new account needs no other mail.
 */
export const invitationMail = (
  to: string,
  invitation: Plain<InvitationDto>,
  addresses: Pick<Settings, 'publicApiUrl' | 'authSecret'>,
): Mail => ({
  to,
  subject: `Invitation to ${invitation.organizationName}`,
  text: [
    `You are invited to join ${invitation.organizationName} on Ledgerline, as ${NAMES[invitation.role]}.`,
    `Sign up or sign in with the address ${to}, and accept at:\n${consolePage(addresses, 'accept-invitation', { invitation: invitation.id, proof: addressProof(invitation.id, to, addresses.authSecret) })}`,
    `The invitation is valid until ${invitation.expiresAt.slice(0, 16).replace('T', ' ')} UTC.`,
  ].join('\n\n'),
});

const NAMES = { member: 'a member', admin: 'an admin', owner: 'an owner' } as const;
