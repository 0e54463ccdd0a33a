import type { Event } from './event';

export type OrganizationEvent = OrganizationCreated;

export type OrganizationCreated = Event<
  'OrganizationCreated',
  { organizationId: string; name: string; ownerId: string }
>;
