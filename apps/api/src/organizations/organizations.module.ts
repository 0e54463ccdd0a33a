import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { CreateOrganizationHandler } from './create-organization.command';
import { OrganizationsController } from './organizations.controller';

@Module({
  imports: [CommandsModule],
  controllers: [OrganizationsController],
  providers: [CreateOrganizationHandler],
})
export class OrganizationsModule {}
