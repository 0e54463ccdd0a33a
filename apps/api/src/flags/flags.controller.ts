import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { Id } from '../http/fields';
import { OrganizationListDto } from '../http/record.dto';
import { CreateFlagDto, FlagDto, Flags, UpdateFlagDto } from './flags';
import { OfrepController, PublicFlags, PublicFlagsController } from './public/public-flags.controller';
import { RuleSealing } from './sealed-rules';

class ListFlagsDto extends OrganizationListDto {
  @Id('Only flags of this website', { optional: true })
  websiteId?: string;
}

@ApiTags('Flags')
@Controller('v1/flags')
class FlagsController extends resourceController({
  resource: Flags,
  create: CreateFlagDto,
  update: UpdateFlagDto,
  record: FlagDto,
  list: ListFlagsDto,
  ...accessOf('flags'),
  isTagged: true,
  summaries: {
    create: 'Create a feature flag',
    list: 'The feature flags of an organization that the caller may read',
    one: 'One feature flag',
    update: 'Change a feature flag; clients get it as it is from then on',
    delete: 'Delete a feature flag: clients do not find it, and its key is free for another',
  },
}) {}

/** Feature flags. */
@Module({
  imports: [ResourcesModule],
  controllers: [FlagsController, PublicFlagsController, OfrepController],
  providers: [Flags, PublicFlags, RuleSealing],
})
export class FlagsModule {}
