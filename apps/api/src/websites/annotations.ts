import { Controller, Get, Injectable, Module, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import {
  ANNOTATION_KINDS,
  type AnnotationDetails,
  type AnnotationKind,
  MAX_ANNOTATION_TEXT,
} from '@ledgerline/contracts/events/definition.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { RecordOf } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { plainAnnotation } from '@ledgerline/domain/goals/annotation.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Resource, assertWebsite, updateDtoClass, recordOfFields } from '../commands/resource';
import { ResourcesModule, resourceController } from '../commands/resource.controller';
import { ListRecords } from '../commands/resource.queries';
import { Id, Instant, Text } from '../http/fields';
import { conflict, notFound } from '../http/problems';
import { ApiList, type ListAnswer, type PlainData, listOf } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { ListOfWebsiteDto } from '../query/goals/goal.dto';
import { exampleId } from '../reference/document';

@Injectable()
export class Annotations extends Resource<RecordOf<'annotations'>, AnnotationDetails, PlainData<AnnotationDto>> {
  readonly kind = 'annotations';
  readonly defaults = plainAnnotation;

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly links: LinkLookup,
  ) {
    super();
  }

  /** Refuses a new one of what is no website or link of the organization, or has as many as it may. */
  override async check(input: Partial<AnnotationDetails>, _: Caller, current?: RecordOf<'annotations'>): Promise<void> {
    if (current) return;
    const { organizationId = '', websiteId = null, linkId = null } = input;
    await assertWebsite(this.registry, this.live, input);
    if (linkId !== null) {
      const link = await this.links.byId(linkId, [organizationId]);
      if (link?.organizationId !== organizationId) throw notFound('Link');
    }
    const { atMost } = RECORD_KINDS.annotations;
    const isOfSame = (other: RecordOf<'annotations'>) => other.websiteId === websiteId && other.linkId === linkId;
    if (this.registry.list('annotations', organizationId).filter(isOfSame).length >= atMost)
      throw conflict(`There are ${atMost} annotations already; delete earlier ones first`);
  }
}

const maybe = { optional: true, nullable: true } as const;

class ListAnnotationsDto extends ListOfWebsiteDto {
  @Id('Only those of this link', { optional: true })
  linkId?: string;
}

export class CreateAnnotationDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 64, { description: 'The website it is about; fixed', ...maybe })
  websiteId?: string | null;

  @Text(1, 64, {
    description: 'The link it is about, in place of a website; fixed. With neither it is about all of the organization',
    ...maybe,
  })
  linkId?: string | null;

  @Text(1, MAX_ANNOTATION_TEXT, { description: 'What happened', example: 'New prices', multiline: true })
  text: string;

  @ApiPropertyOptional({
    enum: ANNOTATION_KINDS,
    nullable: true,
    description: 'Sent by programs; null = what people write',
  })
  @IsOptional()
  @IsIn(ANNOTATION_KINDS)
  kind?: AnnotationKind | null;

  @Instant({ description: 'When it happened', example: '2026-11-27T12:00:00Z', ...maybe })
  at?: string | null;

  @Instant({ description: 'When it began, of something that lasted: in place of `at`', ...maybe })
  from?: string | null;

  @Instant({ description: 'When it ended', ...maybe })
  to?: string | null;
}

/** The changes of an annotation: what is left out stays as it is. */
class UpdateAnnotationDto extends updateDtoClass(CreateAnnotationDto, 'organizationId', 'websiteId', 'linkId') {}

export class AnnotationDto extends recordOfFields<AnnotationDetails, CreateAnnotationDto>(
  CreateAnnotationDto,
  plainAnnotation,
) {}

const LIST = 'The annotations of an organization that the caller may read, in the order in which they were created';
const READERS =
  'For keys with `read:data` on its website, or on everything for those of links and of the organization, and members of the organization.';

@ApiTags('Annotations')
@Controller('v1/annotations')
class AnnotationsController extends resourceController({
  resource: Annotations,
  create: CreateAnnotationDto,
  update: UpdateAnnotationDto,
  record: AnnotationDto,
  reads: ['read:data', 'person'],
  writes: ['write:data', 'person'],
  readers: READERS,
  changers: READERS.replace('read:data', 'write:data'),
  creation: ApiBody({
    type: CreateAnnotationDto,
    examples: {
      deploy: {
        value: {
          organizationId: exampleId('org'),
          websiteId: exampleId('site'),
          text: 'Version 2.1',
          kind: 'deploy',
          at: '2026-11-27T12:00:00Z',
        },
      },
    },
  }),
  summaries: {
    create: 'Note what happened at a time, as a deploy does',
    list: LIST,
    one: 'One annotation',
    update: 'Change an annotation',
    delete: 'Delete an annotation',
  },
}) {
  @Get()
  @ApiOperation({ summary: LIST, description: READERS })
  @Requires('read:data', 'person')
  @ApiList(AnnotationDto)
  async list(
    @Query() { linkId, ...wanted }: ListAnnotationsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListAnswer<PlainData<AnnotationDto>>> {
    const annotations = await this.queries.execute(new ListRecords(Annotations, wanted, caller));
    return listOf(annotations.filter((each) => linkId === undefined || each.linkId === linkId));
  }
}

/** Annotations, which people and programs make of times. */
@Module({ imports: [ResourcesModule], controllers: [AnnotationsController], providers: [Annotations] })
export class AnnotationsModule {}
