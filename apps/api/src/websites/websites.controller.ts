import { Controller } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { resourceController } from '../resources/resource.controller';
import { RegisterWebsiteDto, UpdateWebsiteDto, WebsiteDto } from './website.dto';
import { Websites } from './websites';

const CHANGERS = 'For keys with `write:data` on it, and people who are owner or admin of the organization.';

@ApiTags('Websites')
@Controller('v1/websites')
export class WebsitesController extends resourceController({
  resource: Websites,
  create: RegisterWebsiteDto,
  update: UpdateWebsiteDto,
  record: WebsiteDto,
  creation: ApiOperation({ operationId: 'websites_register' }),
  reads: ['read:data'],
  writes: ['write:data', 'person'],
  changers: CHANGERS,
  updaters: `${CHANGERS} Only owners may change its retention.`,
  summaries: {
    create: 'Register a website',
    list: 'The websites of an organization that the caller may read',
    one: 'One website',
    update: 'Change a website',
    delete: 'Delete a website: its events are refused and its queries forbidden',
  },
}) {}
