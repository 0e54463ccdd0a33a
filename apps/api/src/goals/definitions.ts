import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { FunnelDetails, GoalDetails, SegmentDetails } from '@ledgerline/contracts/events/definition.events';
import type { Funnel, Goal, Segment } from '@ledgerline/contracts/records';
import {
  funnel,
  goal,
  segment,
  type FunnelCommand,
  type GoalCommand,
  type SegmentCommand,
} from '@ledgerline/domain/goals/definitions.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Injectable } from '@nestjs/common';
import type { StartedCommand } from '../commands/command-context';
import { recordOf, type Plain } from '../http/record.dto';
import { type Decision, type Resource, assertWebsite, decision } from '../resources/resource';
import { plainFunnel, plainGoal, plainSegment, type FunnelDto, type GoalDto, type SegmentDto } from './goal.dto';

/** The website that a goal, funnel or segment is of, if it is of one. */
type Of = Pick<SegmentDetails, 'organizationId' | 'websiteId'>;

/** Who may touch what is defined of a website, and that the website exists. */
@Injectable()
abstract class OfWebsite {
  readonly reads = 'goals:read';
  readonly writes = 'goals:write';

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  check(input: Partial<Of>): Promise<void> {
    return assertWebsite(this.registry, this.live, input);
  }
}

@Injectable()
export class Goals extends OfWebsite implements Resource<Goal, GoalDetails, Plain<GoalDto>> {
  static readonly commands = ['CreateGoal', 'UpdateGoal', 'DeleteGoal'] as const;
  readonly noun = 'Goal';
  readonly idPrefix = 'goal';
  readonly defaults = plainGoal;

  entry(registry: () => Registry, id: string): Goal | undefined {
    return registry().find('goals', id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Goal[] {
    return registry.list('goals', organizationId);
  }

  create(input: GoalDetails, { id: goalId }: StartedCommand): Decision {
    return this.decided(input, goalId, { type: 'CreateGoal', data: { ...input, goalId } });
  }

  update(changes: Partial<GoalDetails>, current: Goal): Decision {
    return this.decided(current, current.id, { type: 'UpdateGoal', data: { goalId: current.id, changes } });
  }

  delete(current: Goal): Decision {
    return this.decided(current, current.id, { type: 'DeleteGoal', data: { goalId: current.id } });
  }

  records(goals: readonly Goal[]): readonly Plain<GoalDto>[] {
    return goals.map(recordOf);
  }

  private decided(of: Of, id: string, command: GoalCommand): Decision {
    const revision = (registry: Registry) => registry.find('goals', id)?.revision;
    return decision(goal, RECORD_KINDS.goals.stream(of), command, { revision });
  }
}

@Injectable()
export class Funnels extends OfWebsite implements Resource<Funnel, FunnelDetails, Plain<FunnelDto>> {
  static readonly commands = ['CreateFunnel', 'UpdateFunnel', 'DeleteFunnel'] as const;
  readonly noun = 'Funnel';
  readonly idPrefix = 'funnel';
  readonly defaults = plainFunnel;

  entry(registry: () => Registry, id: string): Funnel | undefined {
    return registry().find('funnels', id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Funnel[] {
    return registry.list('funnels', organizationId);
  }

  create(input: FunnelDetails, { id: funnelId }: StartedCommand): Decision {
    return this.decided(input, funnelId, { type: 'CreateFunnel', data: { ...input, funnelId } });
  }

  update(changes: Partial<FunnelDetails>, current: Funnel): Decision {
    return this.decided(current, current.id, { type: 'UpdateFunnel', data: { funnelId: current.id, changes } });
  }

  delete(current: Funnel): Decision {
    return this.decided(current, current.id, { type: 'DeleteFunnel', data: { funnelId: current.id } });
  }

  records(funnels: readonly Funnel[]): readonly Plain<FunnelDto>[] {
    return funnels.map(recordOf);
  }

  private decided(of: Of, id: string, command: FunnelCommand): Decision {
    const revision = (registry: Registry) => registry.find('funnels', id)?.revision;
    return decision(funnel, RECORD_KINDS.funnels.stream(of), command, { revision });
  }
}

@Injectable()
export class Segments extends OfWebsite implements Resource<Segment, SegmentDetails, Plain<SegmentDto>> {
  static readonly commands = ['CreateSegment', 'UpdateSegment', 'DeleteSegment'] as const;
  readonly noun = 'Segment';
  readonly idPrefix = 'seg';
  readonly defaults = plainSegment;

  entry(registry: () => Registry, id: string): Segment | undefined {
    return registry().find('segments', id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Segment[] {
    return registry.list('segments', organizationId);
  }

  create(input: SegmentDetails, { id: segmentId }: StartedCommand): Decision {
    return this.decided(input, segmentId, { type: 'CreateSegment', data: { ...input, segmentId } });
  }

  update(changes: Partial<SegmentDetails>, current: Segment): Decision {
    return this.decided(current, current.id, { type: 'UpdateSegment', data: { segmentId: current.id, changes } });
  }

  delete(current: Segment): Decision {
    return this.decided(current, current.id, { type: 'DeleteSegment', data: { segmentId: current.id } });
  }

  records(segments: readonly Segment[]): readonly Plain<SegmentDto>[] {
    return segments.map(recordOf);
  }

  private decided(of: Of, id: string, command: SegmentCommand): Decision {
    const revision = (registry: Registry) => registry.find('segments', id)?.revision;
    return decision(segment, RECORD_KINDS.segments.stream(of), command, { revision });
  }
}
