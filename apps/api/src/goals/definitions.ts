import type { FunnelDetails, GoalDetails, SegmentDetails } from '@ledgerline/contracts/events/definition.events';
import type { Funnel, Goal, Segment } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Injectable } from '@nestjs/common';
import type { Plain } from '../http/record.dto';
import { type Decision, type Entry, Resource, assertWebsite } from '../resources/resource';
import { plainFunnel, plainGoal, plainSegment, type FunnelDto, type GoalDto, type SegmentDto } from './goal.dto';

/** Whether the website that a goal, funnel or segment is of exists. */
@Injectable()
abstract class OfWebsite<
  Of extends Entry,
  Input extends { readonly organizationId: string; readonly websiteId: string | null },
  Dto extends object,
> extends Resource<Of, Input, Dto> {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {
    super();
  }

  /** Their stream holds the others of the website, too. */
  override decision(...of: Parameters<Resource<Of>['decision']>): Decision {
    const [, , { id }] = of;
    const revision = (registry: Registry) => this.entry(() => registry, id, [])?.revision;
    return { ...super.decision(...of), revision };
  }

  override check(input: Partial<Input>): Promise<void> {
    return assertWebsite(this.registry, this.live, input);
  }
}

@Injectable()
export class Goals extends OfWebsite<Goal, GoalDetails, Plain<GoalDto>> {
  readonly kind = 'goals';
  readonly defaults = plainGoal;
}

@Injectable()
export class Funnels extends OfWebsite<Funnel, FunnelDetails, Plain<FunnelDto>> {
  readonly kind = 'funnels';
  readonly defaults = plainFunnel;
}

@Injectable()
export class Segments extends OfWebsite<Segment, SegmentDetails, Plain<SegmentDto>> {
  readonly kind = 'segments';
  readonly defaults = plainSegment;
}
