import { Injectable } from '@nestjs/common';
import type { Incident } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { StartedCommand } from '../commands/command-context';
import { type DecidableCommand, Resource } from '../commands/resource';
import type { PlainData } from '../http/record.dto';
import { type IncidentChanges, type IncidentDto, type NewIncident, incidentDto } from './incident.dto';
import { StatusPages } from './status-pages';

/** The content of a new incident, with the page that it is of, or a change with what is reported. */
type Input = NewIncident & IncidentChanges & { readonly organizationId: string; readonly statusPageId: string };

@Injectable()
export class Incidents extends Resource<Incident, Input, PlainData<IncidentDto>> {
  readonly kind = 'incidents';
  readonly defaults = {};

  constructor(private readonly pages: StatusPages) {
    super();
  }

  override check({ organizationId = '', monitorIds, changes }: Partial<Input>, _: Caller, current?: Incident) {
    return this.pages.assertMonitors(current?.organizationId ?? organizationId, changes?.monitorIds ?? monitorIds);
  }

  override data(input: Partial<Input>, { startedAt }: StartedCommand): object {
    return { ...input, at: startedAt.toISOString() };
  }

  /** A change is reported with an update. */
  override update(input: Partial<Input>, current: Incident, started: StartedCommand): Promise<DecidableCommand> {
    return Promise.resolve(this.decision(this.declared.commands.updates, this.data(input, started), current, started));
  }

  override records(incidents: readonly Incident[]): readonly PlainData<IncidentDto>[] {
    return incidents.map((incident) => incidentDto(this.pages.withoutDeletedMonitors(incident)));
  }
}
