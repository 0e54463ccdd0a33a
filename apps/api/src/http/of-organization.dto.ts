import { Id } from './fields';

/** The query string of a list that is one organization's. */
export class OfOrganizationDto {
  @Id('The organization whose list this is')
  organizationId: string;
}
