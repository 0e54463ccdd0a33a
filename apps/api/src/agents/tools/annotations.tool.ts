import { ApiPropertyOptional, IntersectionType, PickType } from '@nestjs/swagger';
import { Id, Text } from '../../http/fields';
import { FindHistory } from '../../query/history/find-history.query';
import { QueryRequestDto } from '../../query/request/query-request.dto';
import { AnnotationDto, Annotations, CreateAnnotationDto } from '../../websites/annotations';
import { creationTool } from '../record-tools';
import { listed, ListToolInput, listOutput, callerOrganization, PAGED, tool } from '../tool';
import { PRESET } from './query.tool';

class ListAnnotationsInput extends IntersectionType(
  PickType(ListToolInput, ['limit', 'offset'] as const),
  PickType(QueryRequestDto, ['startDate', 'endDate', 'preset', 'timezone'] as const),
) {
  @Id('Of this website and of all of the organization; without it and `linkId` of everything', { optional: true })
  websiteId?: string;

  @Id('Of this link and of all of the organization, in place of a website', { optional: true })
  linkId?: string;

  @Text(1, 100, { description: 'Only those with this text', optional: true })
  search?: string;

  @ApiPropertyOptional(PRESET)
  override preset?: string;

  @ApiPropertyOptional({ description: 'IANA name; by default that of the website, else UTC' })
  override timezone?: string;
}

export const listAnnotations = tool({
  name: 'list_annotations',
  title: 'List what happened',
  description:
    'What people and programs noted about times, such as deploys and campaigns, and what this service knows: changed ' +
    'targets of links, flags and settings of websites, monitors that went down and came up, and incidents, as far as the ' +
    `credential may read them; oldest first, for a preset or from startDate to endDate, without either of all times. ${PAGED}`,
  action: 'annotations:read',
  effect: 'read',
  input: ListAnnotationsInput,
  output: listOutput('annotations', { $ref: '#/components/schemas/AnnotationsRow' }),
  answer: async ({ search = '', limit, offset, ...wanted }, { caller, queries }) => {
    const history = new FindHistory(caller, { ...wanted, organizationId: callerOrganization(caller) });
    const { rows, notes } = await queries.execute(history);
    const found = rows.filter((row) => String(row['text']).toLowerCase().includes(search.toLowerCase()));
    return listed('annotations', found, { limit, offset }, notes);
  },
});

export const createAnnotation = creationTool(
  { kind: 'annotations', resource: Annotations, record: AnnotationDto, create: CreateAnnotationDto },
  'Notes what happened at a time (`at`), or from one to another (`from`, `to`), about a website, a link or, with ' +
    'neither, all of the organization.',
);
