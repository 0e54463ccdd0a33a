import type { OrganizationCreated } from '@ledgerline/contracts/events/organization.events';
import { specify } from '../../../../test/domain/given';
import { organization, type CreateOrganization } from './organization.decider';

describe('an organization', () => {
  it('is created with its owner', () => given().when(create).then(created));
  it('is created once', () => given(created).when(create).rejects('ORGANIZATION_EXISTS'));
});

const given = specify(organization);
const data = { organizationId: 'org_1', name: 'Acme', ownerId: 'usr_1' };
const create: CreateOrganization = { type: 'CreateOrganization', data };
const created: OrganizationCreated = { type: 'OrganizationCreated', data };
