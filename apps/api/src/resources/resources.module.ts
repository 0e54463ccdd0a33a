import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { ChangeRecordHandler, CreateRecordHandler } from './resource.commands';
import { PreviewRecordHandler } from './preview-record.query';
import { FindRecordHandler, ListRecordsHandler, Records } from './resource.queries';

/** Commands and queries of all resources. */
@Module({
  imports: [CommandsModule],
  providers: [
    Records,
    CreateRecordHandler,
    ChangeRecordHandler,
    PreviewRecordHandler,
    FindRecordHandler,
    ListRecordsHandler,
  ],
  exports: [Records, CommandsModule],
})
export class ResourcesModule {}
