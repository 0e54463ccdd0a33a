import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, Length } from 'class-validator';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { StatusPageDetails, StatusPageSettings } from '@ledgerline/contracts/events/status-page.events';
import type { Incident, StatusPage } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { isStatusSlug, statusSlug } from '@ledgerline/domain/status-pages/status-page.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import { statusSlugStream } from '@ledgerline/platform/event-store/event-store';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { CommandResult, StartedCommand } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { Resource, updateDtoClass, recordOfFields, recordOf } from '../commands/resource';
import { Id, Text, YesOrNo, Zone, stringRule } from '../http/fields';
import { invalid, notFound } from '../http/problems';
import { type PlainData } from '../http/record.dto';
import { slugTaken } from '../links/links';
import { SETTINGS } from '../tokens';

const MAX_MONITORS = 50;

/** The defaults of a page. */
const plainStatusPage = {
  description: null,
  monitorIds: [],
  isPublic: false,
  timezone: 'UTC',
} as const satisfies Omit<StatusPageSettings, 'name'>;

/** The settings of a new page; null = the default. */
export class CreateStatusPageDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @ApiProperty({
    description: 'Where it is found; fixed, and unique over all organizations',
    pattern: '^[a-z0-9](?:[a-z0-9-]{1,48})[a-z0-9]$',
    example: 'example-shop',
  })
  @stringRule(
    'isStatusSlug',
    isStatusSlug,
    'must be 3 to 50 of a–z, 0–9 and -, and begin and end with none of the latter',
  )
  slug: string;

  @Text(1, 100, { description: 'Heading of the page', example: 'Example Shop' })
  name: string;

  @Text(1, 1_000, { description: 'Shown under the name', optional: true, nullable: true, multiline: true })
  description?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: MAX_MONITORS,
    description: 'The monitors that are shown, in this order',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_MONITORS)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  monitorIds?: string[] | null;

  @YesOrNo(plainStatusPage.isPublic, 'Whether others find the page')
  isPublic?: boolean | null;

  @Zone({ description: 'Of the times that it shows', example: 'Europe/Berlin', optional: true, nullable: true })
  timezone?: string | null;
}

/** The changes of a status page: what is left out stays as it is. */
export class UpdateStatusPageDto extends updateDtoClass(CreateStatusPageDto, 'organizationId', 'slug') {}

export class StatusPageDto extends recordOfFields<StatusPageDetails, CreateStatusPageDto>(
  CreateStatusPageDto,
  plainStatusPage,
) {
  @ApiProperty({ description: 'Where people find it' })
  url: string;
}

type Changes = Partial<StatusPageDetails>;

/** Status pages, and what else is about them. */
@Injectable()
export class StatusPages extends Resource<StatusPage, StatusPageDetails, PlainData<StatusPageDto>> {
  readonly kind = 'statusPages';
  readonly defaults = plainStatusPage;

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly runner: CommandRunner,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  override check({ organizationId = '', monitorIds }: Changes, _: Caller, current?: StatusPage): Promise<void> {
    return this.assertMonitors(current?.organizationId ?? organizationId, monitorIds);
  }

  /** First reserves its slug for the organization. */
  override async create(input: StatusPageDetails, started: StartedCommand): Promise<CommandResult<StatusPage>> {
    const { organizationId, slug } = input;
    const reserve = { type: 'ReserveStatusSlug', data: { slug, organizationId } } as const;
    try {
      await this.runner.run(
        { decider: statusSlug, stream: statusSlugStream(slug), command: reserve, answer: () => true },
        started,
      );
      return await super.create(input, started, this.runner);
    } catch (error) {
      const isTaken = error instanceof Rejection && ['SLUG_TAKEN', 'STATUS_PAGE_EXISTS'].includes(error.fact);
      throw isTaken ? slugTaken() : error;
    }
  }

  override records(pages: readonly StatusPage[]): readonly PlainData<StatusPageDto>[] {
    const urlOf = ({ slug }: StatusPage) => `${this.settings.publicApiUrl}/status/${slug}`;
    return pages.map((page) => ({ ...recordOf(this.withoutDeletedMonitors(page)), url: urlOf(page) }));
  }

  /** The oldest first. */
  incidentsOf({ id, organizationId }: StatusPage): readonly Incident[] {
    return this.registry.list('incidents', organizationId).filter(({ statusPageId }) => statusPageId === id);
  }

  /** @throws Problem NOT_FOUND for no incident of the page */
  async findIncident({ id: pageId }: StatusPage, id: string): Promise<Incident> {
    const incident = await this.live.find(() => this.registry.find('incidents', id));
    if (incident?.statusPageId !== pageId) throw notFound('Incident');
    return incident;
  }

  /** A page or an incident, naming only those of its monitors that are not deleted. */
  withoutDeletedMonitors<Naming extends { readonly monitorIds: readonly string[] }>(naming: Naming): Naming {
    return { ...naming, monitorIds: naming.monitorIds.filter((id) => this.registry.find('monitors', id)) };
  }

  /** @throws Problem VALIDATION_ERROR unless each is a monitor of the organization */
  async assertMonitors(organizationId: string, ids: readonly string[] = []): Promise<void> {
    const isOwn = (id: string) => this.registry.find('monitors', id)?.organizationId === organizationId;
    if (!ids.every(isOwn)) await this.live.catchUp();
    const others = ids.filter((id) => !isOwn(id));
    const message = `monitorIds must name monitors of the organization; these are none, or were deleted: ${others.join(', ')}`;
    if (others.length > 0) throw invalid([{ field: 'monitorIds', message }]);
  }
}
