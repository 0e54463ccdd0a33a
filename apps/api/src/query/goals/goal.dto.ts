import { MAX_DEFINITION_NAME } from '@ledgerline/contracts/definitions';
import type { FunnelDetails, GoalDetails, SegmentDetails } from '@ledgerline/contracts/events/definition.events';
import { updateDtoClass, recordOfFields } from '../../commands/resource';
import { Id, Text } from '../../http/fields';
import { OrganizationListDto } from '../../http/record.dto';
import { FunnelDefinitionDto, GoalDefinitionDto, SegmentDefinitionDto } from './definition.dto';

const Organization = () => Id('The organization it belongs to');
const Website = () => Id('The website whose events it is about; fixed');
const Name = (example: string) =>
  Text(1, MAX_DEFINITION_NAME, { description: 'Display name, unique in its website', example });

/** The query string of a list of goals, funnels, segments or annotations. */
export class ListOfWebsiteDto extends OrganizationListDto {
  @Id('Only those of this website', { optional: true })
  websiteId?: string;
}

export const plainGoal = { value: null } as const;

export class CreateGoalDto extends GoalDefinitionDto {
  @Organization()
  organizationId: string;

  @Website()
  websiteId: string;

  @Name('Signup')
  name: string;
}

/** The changes of a goal: what is left out stays as it is. */
export class UpdateGoalDto extends updateDtoClass(CreateGoalDto, 'organizationId', 'websiteId') {}

export class GoalDto extends recordOfFields<GoalDetails, CreateGoalDto>(CreateGoalDto, plainGoal) {}

export const plainFunnel = { window: null, order: 'ordered', per: 'visitor' } as const;

export class CreateFunnelDto extends FunnelDefinitionDto {
  @Organization()
  organizationId: string;

  @Website()
  websiteId: string;

  @Name('Checkout')
  name: string;
}

/** The changes of a funnel: what is left out stays as it is. */
export class UpdateFunnelDto extends updateDtoClass(CreateFunnelDto, 'organizationId', 'websiteId') {}

export class FunnelDto extends recordOfFields<FunnelDetails, CreateFunnelDto>(CreateFunnelDto, plainFunnel) {}

export const plainSegment = { websiteId: null, filters: [], did: [] };

export class CreateSegmentDto extends SegmentDefinitionDto {
  @Organization()
  organizationId: string;

  @Text(1, 64, {
    description: 'The only website that has it; null = all of the organization; fixed',
    optional: true,
    nullable: true,
  })
  websiteId?: string | null;

  @Name('Mobile buyers')
  name: string;
}

/** The changes of a segment: what is left out stays as it is. */
export class UpdateSegmentDto extends updateDtoClass(CreateSegmentDto, 'organizationId', 'websiteId') {}

export class SegmentDto extends recordOfFields<SegmentDetails, CreateSegmentDto>(CreateSegmentDto, plainSegment) {}
