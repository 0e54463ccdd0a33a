import type { Member } from '@ledgerline/contracts/records';
import { ROLES, type Role } from '@ledgerline/contracts/events/organization.events';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { Person } from '../accounts/people';
import type { Plain } from '../http/record.dto';

export class ChangeMemberDto {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role: Role;
}

export class MemberDto {
  @ApiProperty({ description: 'Of the person', example: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' })
  id: string;

  @ApiProperty()
  organizationId: string;

  @ApiProperty({ enum: ROLES })
  role: Role;

  @ApiProperty({ type: String, nullable: true, description: 'Null for a person without an account' })
  name: string | null;

  @ApiProperty({ type: String, format: 'email', nullable: true, description: 'Null for a person without an account' })
  email: string | null;

  @ApiProperty({ format: 'date-time' })
  joinedAt: string;

  @ApiProperty({ type: 'integer', description: 'Of the organization; `If-Match` of a change of a member names it' })
  revision: number;
}

export type MemberEntry = Member & { readonly revision: number };

export function memberIn(registry: Registry, organizationId: string, userId: string): MemberEntry | undefined {
  const member = registry.member(organizationId, userId);
  const organization = registry.organization(organizationId);
  return member && organization && { ...member, revision: organization.revision };
}

export const memberDto = (
  { userId, organizationId, role, joinedAt, revision }: MemberEntry,
  person: Person | undefined,
): Plain<MemberDto> => ({
  id: userId,
  organizationId,
  role,
  name: person?.name ?? null,
  email: person?.email ?? null,
  joinedAt: joinedAt.toISOString(),
  revision,
});
