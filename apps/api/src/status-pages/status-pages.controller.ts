import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Refuses } from '../http/route';
import { resourceController } from '../resources/resource.controller';
import { CreateStatusPageDto, StatusPageDto, UpdateStatusPageDto } from './status-page.dto';
import { StatusPages } from './status-pages';

export const CHANGERS = 'For keys with `write:data` on everything, and people who are owner or admin.';
export const READERS = 'For keys with `read:data` on everything, and members of the organization.';

@ApiTags('Status pages')
@Controller('v1/status-pages')
export class StatusPagesController extends resourceController({
  resource: StatusPages,
  create: CreateStatusPageDto,
  update: UpdateStatusPageDto,
  record: StatusPageDto,
  reads: ['read:data', 'person'],
  writes: ['write:data', 'person'],
  readers: READERS,
  changers: CHANGERS,
  creation: Refuses('CONFLICT'),
  summaries: {
    create: 'Create a status page',
    list: 'The status pages of an organization',
    one: 'One status page',
    update: 'Change a status page',
    delete: 'Delete a status page; its slug stays the organization’s',
  },
}) {}
