import type { Invitation } from '@ledgerline/contracts/records';
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Mail } from '../accounts/mailer';
import type { Plain } from '../http/record.dto';
import { SETTINGS } from '../tokens';
import { consolePage } from '../accounts/account-mails';
import { addressProof } from '../accounts/token-hash';
import { InvitationAddresses, type InvitationAddress } from './invitation-addresses';
import { invitationDto, type InvitationDto } from './organization.dto';

/** Invitations that can still be accepted: not those whose address was erased. */
@Injectable()
export class PendingInvitations {
  constructor(
    private readonly registry: Registry,
    private readonly addresses: InvitationAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Of an organization, oldest first. */
  async of(organizationId: string): Promise<Plain<InvitationDto>[]> {
    const invitations = this.registry.invitationsOf(organizationId);
    const addresses = await this.addresses.of(invitations.map(({ id }) => id));
    return this.pending(invitations, addresses);
  }

  record(invitation: Invitation, organizationName: string, email: string | null): Plain<InvitationDto> {
    return invitationDto(invitation, { organizationName, email, apiUrl: this.settings.publicApiUrl });
  }

  /** What the invited person gets. */
  mail(to: string, invitation: Plain<InvitationDto>): Mail {
    return invitationMail(to, invitation, this.settings);
  }

  private pending(invitations: readonly Invitation[], addresses: ReadonlyMap<string, InvitationAddress>) {
    return invitations
      .filter(({ id, expiresAt }) => addresses.has(id) && Date.parse(expiresAt) > Date.now())
      .map((invitation) => {
        const { name = '' } = this.registry.organization(invitation.organizationId) ?? {};
        return this.record(invitation, name, addresses.get(invitation.id)?.email ?? null);
      });
  }
}

/**
 * What the invited person gets. The id in the link is known to those who invited, too; the account with this address needs
 * it. The proof is in the link alone: with it a new account needs no other mail.
 */
const invitationMail = (
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
