import { Module } from '@nestjs/common';
import { QueryController } from './query.controller';
import { QueryRunner } from '../execution/query-runner';
import { ListReadableWebsitesHandler } from './readable-websites';

/** The queries over the read models. */
@Module({
  controllers: [QueryController],
  providers: [QueryRunner, ListReadableWebsitesHandler],
})
export class QueryModule {}
