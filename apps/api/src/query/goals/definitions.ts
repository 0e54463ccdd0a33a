import { Injectable } from '@nestjs/common';
import type { FunnelDetails, GoalDetails, SegmentDetails } from '@ledgerline/contracts/events/definition.events';
import type { RecordOf } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type OrganizationOwnedRecord, SharedStreamResource, assertWebsite } from '../../commands/resource';
import type { PlainData } from '../../http/record.dto';
import { plainFunnel, plainGoal, plainSegment, type FunnelDto, type GoalDto, type SegmentDto } from './goal.dto';

/** Definitions of a website, which must exist for a goal, funnel or segment. */
@Injectable()
export abstract class WebsiteDefinitions<
  Of extends OrganizationOwnedRecord,
  Input extends { readonly organizationId: string; readonly websiteId: string | null },
  Dto extends object,
> extends SharedStreamResource<Of, Input, Dto> {
  constructor(
    protected readonly registry: Registry,
    protected readonly live: LiveRegistry,
  ) {
    super();
  }

  override check(input: Partial<Input>, _caller: Caller, _current?: Of): Promise<void> {
    return assertWebsite(this.registry, this.live, input);
  }
}

@Injectable()
export class Goals extends WebsiteDefinitions<RecordOf<'goals'>, GoalDetails, PlainData<GoalDto>> {
  readonly kind = 'goals';
  readonly defaults = plainGoal;
}

@Injectable()
export class Funnels extends WebsiteDefinitions<RecordOf<'funnels'>, FunnelDetails, PlainData<FunnelDto>> {
  readonly kind = 'funnels';
  readonly defaults = plainFunnel;
}

@Injectable()
export class Segments extends WebsiteDefinitions<RecordOf<'segments'>, SegmentDetails, PlainData<SegmentDto>> {
  readonly kind = 'segments';
  readonly defaults = plainSegment;
}
