import type { Caller } from '@ledgerline/domain/access/caller';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { exampleId } from '../discovery/document';
import { ApiList, listOf, type List, type Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { resourceController } from '../resources/resource.controller';
import { ListRecords } from '../resources/resource.queries';
import { AnnotationDto, CreateAnnotationDto, ListAnnotationsDto, UpdateAnnotationDto } from './annotation.dto';
import { Annotations } from './annotations';

const LIST = 'The annotations of an organization that the caller may read, in the order in which they were created';
const READERS =
  'For keys with `read:data` on its website, or on everything for those of links and of the organization, and members of the organization.';

@ApiTags('Annotations')
@Controller('v1/annotations')
export class AnnotationsController extends resourceController({
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
  ): Promise<List<Plain<AnnotationDto>>> {
    const annotations = await this.queries.execute(new ListRecords(Annotations, wanted, caller));
    return listOf(annotations.filter((each) => linkId === undefined || each.linkId === linkId));
  }
}
