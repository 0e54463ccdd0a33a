import type { Invitation } from '@ledgerline/contracts/records';
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Mail } from '../accounts/mail-delivery';
import type { Plain } from '../http/record.dto';
import { SETTINGS } from '../tokens';
import { InvitationAddresses, type InvitationAddress } from './invitation-addresses';
import { invitationMail } from './invitation-mail';
import { type InvitationDto, invitationDto } from './invitation.dto';

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
