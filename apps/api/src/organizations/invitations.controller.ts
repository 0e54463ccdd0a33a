import { Body, Controller, Delete, Get, HttpCode, Inject, Injectable, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Invitation, Organization } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import {
  type CommandContext,
  type CommandResult,
  CurrentCommandContext,
  Deletes,
  deletionResult,
} from '../commands/command-context';
import { ActOnRecord, type RecordAction } from '../commands/resource.commands';
import { Records } from '../commands/resource.queries';
import { ApiList, type ListAnswer, type PlainData, listOf } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { consolePage } from '../identity/accounts/account-mails';
import { type Mail, Mailer } from '../identity/accounts/mailer';
import { People } from '../identity/accounts/people';
import { addressProof } from '../identity/accounts/token-hash';
import { SETTINGS } from '../tokens';
import { type InvitationAddress, InvitationAddresses } from './invitation-addresses';
import { AcceptInvitation } from './invitation.commands';
import { InvitationDto, InviteMemberDto, MemberDto, invitationDto, memberDto } from './organization.dto';
import { Organizations } from './organizations';

const VALID_FOR_MS = 7 * 24 * 60 * 60_000;

interface Invited {
  readonly invitation: Invitation;
  readonly organization: Organization;
}

/** Invitations that can still be accepted: not those whose address was erased. */
@Injectable()
export class PendingInvitations {
  constructor(
    private readonly registry: Registry,
    private readonly addresses: InvitationAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Returns the invitations of an organization, oldest first. */
  async of(organizationId: string): Promise<PlainData<InvitationDto>[]> {
    const invitations = this.registry.invitationsOf(organizationId);
    const addresses = await this.addresses.of(invitations.map(({ id }) => id));
    return this.pending(invitations, addresses);
  }

  /** The address is stored beside the events first, and encrypted in the event. */
  inviting(organizationId: string, { email, role }: InviteMemberDto): RecordAction<Invited> {
    return {
      type: 'InviteMember',
      body: { email, role },
      needs: 'members:invite',
      adds: 'inv',
      run: ({ id: invitationId }) => ({
        data: { invitationId, role, expiresAt: new Date(Date.now() + VALID_FOR_MS).toISOString() },
        personal: new Map([[invitationId, { email }]]),
        prepare: () => this.addresses.add({ invitationId, organizationId, email }),
        answer: (registry) => {
          const invitation = registry().invitation(invitationId);
          const organization = registry().organization(organizationId);
          return invitation && organization && { invitation, organization };
        },
      }),
    };
  }

  async revoked(invitationId: string): Promise<void> {
    await this.addresses.remove([invitationId]);
  }

  record(invitation: Invitation, organizationName: string, email: string | null): PlainData<InvitationDto> {
    return invitationDto(invitation, { organizationName, email, apiUrl: this.settings.publicApiUrl });
  }

  /** Returns what the invited person gets. */
  mail(to: string, invitation: PlainData<InvitationDto>): Mail {
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
 * Returns what the invited person gets. The id in the link is known to those who invited, too; the account with this
 * address needs it. The proof is in the link alone: with it a new account needs no other mail.
 */
const invitationMail = (
  to: string,
  invitation: PlainData<InvitationDto>,
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

const description =
  'For owners and admins of the organization; only owners may invite, or revoke the invitation of, owners.';

@ApiTags('Invitations')
@Controller('v1/organizations/:id/invitations')
@Requires('person')
export class InvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: Organizations,
    private readonly found: Records,
    private readonly invitations: PendingInvitations,
    private readonly mailer: Mailer,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Invite a person by e-mail; valid for seven days', description })
  @ApiCreatedResponse({ type: InvitationDto })
  async invite(
    @Param('id') id: string,
    @Body() body: InviteMemberDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<InvitationDto>>> {
    const inviting = this.invitations.inviting(id, body);
    const written = await this.commands.execute(new ActOnRecord(Organizations, id, inviting, context));
    const answer = written.as(({ invitation, organization }) =>
      this.invitations.record(invitation, organization.name, body.email),
    );
    if (!written.replayed) this.mailer.send(this.invitations.mail(body.email, answer.entry));
    return answer;
  }

  @Get()
  @ApiOperation({ summary: 'The pending invitations of an organization', description })
  @ApiList(InvitationDto)
  async list(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<ListAnswer<PlainData<InvitationDto>>> {
    await this.found.find(this.organizations, id, caller, 'members:invite');
    return listOf(await this.invitations.of(id));
  }

  @Delete(':invitationId')
  @ApiOperation({ summary: 'Revoke an invitation', description })
  @Deletes()
  async revoke(
    @Param('id') id: string,
    @Param('invitationId') invitationId: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<null>> {
    const revision = (registry: Registry) => registry.invitation(invitationId)?.revision;
    const run = () => ({ answer: deletionResult, revision });
    const revoking = { type: 'RevokeInvitation', body: { invitationId }, run };
    const written = await this.commands.execute(new ActOnRecord(Organizations, id, revoking, context));
    await this.invitations.revoked(invitationId);
    return written;
  }
}

@ApiTags('Invitations')
@Controller('v1/invitations')
@Requires('person')
export class OwnInvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly people: People,
  ) {}

  @Post(':invitationId/accept')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Become a member: for the account with the invited address that knows the id from the mail',
  })
  @ApiOkResponse({ type: MemberDto })
  async accept(
    @Param('invitationId') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<MemberDto>>> {
    const written = await this.commands.execute(new AcceptInvitation(id, context));
    const people = await this.people.find([written.entry.userId]);
    return written.as((member) => memberDto(member, people.get(member.userId)));
  }
}
