import { OmitType } from '@nestjs/swagger';
import { plainAnnotation } from '@ledgerline/domain/goals/annotation.decider';
import { AnnotationDto, CreateAnnotationDto } from '../../annotations/annotation.dto';
import { Annotations } from '../../annotations/annotations';
import { Confirm, creationTool, IdempotencyKey } from '../changes';
import { listTool } from '../list-tool';

export const listAnnotations = listTool({
  of: 'annotations',
  title: 'List annotations',
  description:
    'What people and programs have noted about times, such as deploys and campaigns, oldest first; a search looks into ' +
    'texts. One without websiteId and linkId is about all of the organization.',
  action: 'annotations:read',
  resource: Annotations,
  record: AnnotationDto,
  nameOf: ({ text }) => text,
});

class CreateAnnotationInput extends OmitType(CreateAnnotationDto, ['organizationId']) {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('annotation')
  idempotencyKey?: string;
}

export const createAnnotation = creationTool({
  noun: 'annotation',
  title: 'Create an annotation',
  description:
    'Notes what happened at a time (`at`), or from one to another (`from`, `to`), about a website, a link or, with ' +
    'neither, all of the organization.',
  action: 'annotations:write',
  resource: Annotations,
  record: AnnotationDto,
  input: CreateAnnotationInput,
  defaults: plainAnnotation,
});
