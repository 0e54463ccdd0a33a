import { Injectable } from '@nestjs/common';
import type { RevocationReason } from '@ledgerline/contracts/events/oauth-grant.events';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import { clientLabel, type GrantCaller } from '@ledgerline/domain/access/caller';
import type { CommandContext } from '../commands/command-context';
import { AuthorizationServer, type TokenAnswer } from './authorization-server';
import { textIn, textsIn } from './form';
import { GrantRevocation } from './grant.commands';
import { ManagedGrants } from './managed-grants';
import { StoredTokens, type Issued } from './stored-tokens';

/** Issues, renews and revokes tokens. A code or refresh token that comes twice was stolen by one of the two: its grant ends. */
@Injectable()
export class Tokens {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly stored: StoredTokens,
    private readonly grants: ManagedGrants,
    private readonly revocation: GrantRevocation,
  ) {}

  async issue(form: unknown, context: CommandContext): Promise<TokenAnswer> {
    const repeated = FIELDS.find((name) => textsIn(form, name).length > 1);
    if (repeated !== undefined) return refusal('invalid_request', `${repeated} must not be repeated`);
    const issued = await this.issuedFor(form);
    if (issued?.isUsed) await this.revoke(issued, 'reuse', context);
    if (issued && !(await this.grants.active(issued.grantId))) return refusal('invalid_grant', 'this grant has ended');
    return this.server.token(formOf(form));
  }

  /** Either token of a client ends its whole grant; tokens that are unknown or of others change nothing (RFC 7009). */
  async revokeFor(form: unknown, context: CommandContext): Promise<TokenAnswer> {
    const [token, clientId] = [textIn(form, 'token'), textIn(form, 'client_id')];
    if (token === '' || clientId === '') return refusal('invalid_request', 'token and client_id are required');
    const issued = (await this.stored.accessToken(token)) ?? (await this.stored.refreshToken(token));
    if (issued?.clientId === clientId) await this.revoke(issued, 'client', context);
    return { ok: true, body: {} };
  }

  private async issuedFor(form: unknown): Promise<Issued | undefined> {
    if (textIn(form, 'grant_type') === 'refresh_token') return this.stored.refreshToken(textIn(form, 'refresh_token'));
    return this.stored.usedCode(textIn(form, 'code'));
  }

  private async revoke({ grantId }: Issued, reason: RevocationReason, context: CommandContext): Promise<void> {
    const grant = await this.grants.active(grantId);
    if (!grant) return;
    const caller = reason === 'client' ? clientOf(grant) : context.caller;
    await this.revocation.revoke(grant, reason, { ...context, caller });
  }
}

const FIELDS = ['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope'];

const formOf = (form: unknown): URLSearchParams =>
  new URLSearchParams(
    [...FIELDS, 'resource'].flatMap((name) => textsIn(form, name).map((text): [string, string] => [name, text])),
  );

const refusal = (error: string, description: string): TokenAnswer => ({
  ok: false,
  body: { error, error_description: description },
});

/** The client acts for the person who gave the grant. */
const clientOf = (grant: OAuthGrant): GrantCaller => ({
  kind: 'grant',
  id: grant.id,
  organizationId: grant.organizationId,
  client: clientLabel(grant),
  scopes: [],
  resources: null,
  person: { id: grant.userId },
  role: 'member',
});
