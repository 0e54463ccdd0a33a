import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourcesModule, resourceController } from '../commands/resource.controller';
import { LimitsModule } from '../http/limits.module';
import { QueryModule } from '../query/http/query.controller';
import { ShareViewController } from './public/share-view.controller';
import { SharedDashboards } from './public/shared-dashboards';
import { CreateShareDto, ListSharesDto, ShareDto, Shares, UpdateShareDto } from './shares';

const CHANGERS = 'For keys with `write:data` on the website, and people who are owner or admin of the organization.';

@ApiTags('Shares')
@Controller('v1/shares')
class SharesController extends resourceController({
  resource: Shares,
  create: CreateShareDto,
  update: UpdateShareDto,
  record: ShareDto,
  list: ListSharesDto,
  reads: ['read:data'],
  writes: ['write:data', 'person'],
  changers: CHANGERS,
  summaries: {
    create: 'Share the statistics of a website',
    list: 'The shares of an organization whose websites the caller may read',
    one: 'One share',
    update: 'Change a share; answered when no process shows what it may no longer',
    delete: 'Revoke a share for good; answered when no process shows it',
  },
}) {}

/** Statistics of websites for people without an account. */
@Module({
  imports: [ResourcesModule, QueryModule, LimitsModule],
  controllers: [SharesController, ShareViewController],
  providers: [Shares, SharedDashboards],
})
export class SharesModule {}
