import { Module } from '@nestjs/common';
import { AskQuestionsHandler } from '../execution/ask-questions.handler';
import { QueryController } from './query.controller';
import { QueryRunner } from '../execution/query-runner';
import { ListReadableWebsitesHandler } from './readable-websites';

/** Questions: the catalogue of query types, and the answers from the read models. */
@Module({
  controllers: [QueryController],
  providers: [QueryRunner, AskQuestionsHandler, ListReadableWebsitesHandler],
})
export class QueryModule {}
