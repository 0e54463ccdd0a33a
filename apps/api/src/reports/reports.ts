import { Injectable } from '@nestjs/common';
import type { ReportDetails } from '@ledgerline/contracts/events/report.events';
import type { Report } from '@ledgerline/contracts/records';
import { type Caller, personOf } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { covers, plainReport } from '@ledgerline/domain/reports/report.decider';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { StartedCommand } from '../commands/command-context';
import { SharedStreamResource } from '../commands/resource';
import { forbidden, invalid } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import type { ReportDto } from './report.dto';

type Input = Omit<ReportDetails, 'ownerId'>;

@Injectable()
export class Reports extends SharedStreamResource<Report, Input, PlainData<ReportDto>> {
  readonly kind = 'reports';
  readonly defaults = plainReport;

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {
    super();
  }

  /** Refuses websites and destinations that the organization does not have, and one that is not told of all websites. */
  override async check(input: Partial<Input>, _: Caller, current?: Report): Promise<void> {
    if (input.websiteIds === undefined && input.destinationIds === undefined) return;
    const { organizationId = '', websiteIds = null, destinationIds = [] } = { ...current, ...input };
    await this.live.catchUp();
    const websites = (input.websiteIds ?? []).flatMap((id, at) =>
      this.registry.find('websites', id)?.organizationId === organizationId
        ? []
        : [{ field: `websiteIds[${at}]`, message: 'Must be a website of the organization.' }],
    );
    const destinations = destinationIds.flatMap((id, at) => {
      const found = this.registry.find('destinations', id);
      if (found && covers(found, { organizationId, websiteIds })) return [];
      const message =
        found?.organizationId === organizationId
          ? 'Must be a mail or webhook that is told of all websites of the report.'
          : 'Must be a destination of the organization.';
      return [{ field: `destinationIds[${at}]`, message }];
    });
    const wrong = [...websites, ...destinations];
    if (wrong.length > 0) throw invalid(wrong);
  }

  /** Who changes it answers for it; the schedule, which is no person, pauses it in the name of the last one. */
  override data(input: Partial<Input>, { caller }: StartedCommand, current?: Report): object {
    const { timezone } = input;
    const said = timezone === undefined ? input : { ...input, timezone: supportedZone(timezone) ?? timezone };
    const ownerId = personOf(caller);
    if (ownerId !== undefined) return { ...said, ownerId };
    if (!current) throw forbidden({ needs: 'person' });
    return said;
  }
}
