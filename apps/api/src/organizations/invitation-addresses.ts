import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import { Registry } from '@ledgerline/domain/registry/registry';
import { run } from '@ledgerline/platform/database/pool';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { conflict } from '../http/problems';
import { People, type Person } from '../identity/accounts/people';
import { POOL } from '../tokens';

/** Longer than a command can wait between its address and its event. */
const UNDECIDED_MS = 60_000;

export interface InvitationAddress {
  readonly invitationId: string;
  readonly organizationId: string;
  /** As it was written; compared without regard to case. */
  readonly email: string;
}

type Row = InvitationAddress & { readonly createdAt: Date };

/** The addresses of pending invitations, by which they are found; in events they are encrypted. */
@Injectable()
export class InvitationAddresses {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly people: People,
  ) {}

  /** @throws Problem CONFLICT for the address of a member, or while another invitation of it is pending */
  async add(address: InvitationAddress): Promise<void> {
    await this.live.catchUp();
    await this.assertNoMember(address);
    const [held] = await this.select(sql`
      where organization_id = ${address.organizationId} and lower(email) = lower(${address.email})`);
    if (held && held.invitationId !== address.invitationId && !this.isPending(held, new Date()))
      await this.remove([held.invitationId]);
    await run(
      this.pool,
      sql`
        insert into invitation_addresses (invitation_id, organization_id, email)
        values (${address.invitationId}, ${address.organizationId}, ${address.email})
        on conflict do nothing`,
    );
    if (!(await this.of([address.invitationId])).has(address.invitationId))
      throw conflict('This address has been invited already');
  }

  /** By invitation id. */
  async of(invitationIds: readonly string[]): Promise<ReadonlyMap<string, InvitationAddress>> {
    const rows = await this.select(sql`where invitation_id = any(${invitationIds})`);
    return new Map(rows.map((row) => [row.invitationId, row]));
  }

  /** The invitations of an address, oldest first. */
  async to(email: string): Promise<readonly InvitationAddress[]> {
    return this.select(sql`where lower(email) = lower(${email}) order by created_at, invitation_id`);
  }

  /** Returns whether an invitation is of this address and can still be accepted. */
  async isOpen(invitationId: string, email: string): Promise<boolean> {
    const own = (await this.to(email)).find((each) => each.invitationId === invitationId);
    if (!own) return false;
    await this.live.catchUp(); // another process may have revoked it
    const invitation = this.registry.invitation(invitationId);
    return invitation !== undefined && Date.parse(invitation.expiresAt) > Date.now();
  }

  async remove(invitationIds: readonly string[]): Promise<void> {
    await run(this.pool, sql`delete from invitation_addresses where invitation_id = any(${invitationIds})`);
  }

  /** Deletes the addresses of invitations that have expired or are gone, and returns their number. */
  async sweep(now: Date): Promise<number> {
    // the invitation of an address must not look as if it were gone
    await this.live.catchUp();
    const over = (await this.select(emptySql)).filter((row) => !this.isPending(row, now));
    if (over.length > 0) await this.remove(over.map(({ invitationId }) => invitationId));
    return over.length;
  }

  private async assertNoMember({ organizationId, email }: InvitationAddress): Promise<void> {
    const people = await this.people.find(this.registry.membersOf(organizationId).map(({ userId }) => userId));
    const isInvited = (person: Person) => person.email.toLowerCase() === email.toLowerCase();
    if ([...people.values()].some(isInvited)) throw new Rejection('MEMBER_EXISTS');
  }

  private isPending({ invitationId, createdAt }: Row, now: Date): boolean {
    const invitation = this.registry.invitation(invitationId);
    if (invitation) return Date.parse(invitation.expiresAt) > now.getTime();
    return now.getTime() - createdAt.getTime() < UNDECIDED_MS;
  }

  private select(condition: Sql): Promise<Row[]> {
    return run<Row>(
      this.pool,
      sql`
        select invitation_id as "invitationId", organization_id as "organizationId", email, created_at as "createdAt"
        from invitation_addresses ${condition}`,
    );
  }
}
