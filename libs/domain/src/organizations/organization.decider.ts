import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { OrganizationCreated, OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import { decider, type Command } from '../decider';

export type OrganizationCommand = CreateOrganization;
export type CreateOrganization = Command<'CreateOrganization', OrganizationCreated['data']>;

type Organization = { readonly status: 'absent' } | { readonly status: 'active' };

export const organization = decider<Organization, OrganizationCommand, OrganizationEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateOrganization({ status }, data) {
      if (status !== 'absent') throw new Rejection('ORGANIZATION_EXISTS');
      return [{ type: 'OrganizationCreated', data }];
    },
  },

  evolve: {
    OrganizationCreated: () => ({ status: 'active' }),
  },
});
