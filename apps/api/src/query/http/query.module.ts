import { Module } from '@nestjs/common';
import { QueryController } from './query.controller';
import { ProjectedPositions } from '../execution/projected-positions';
import { QueryRunner } from '../execution/query-runner';
import { QuestionPool } from '../execution/question-pool';
import { Subjects } from '../request/subject';
import { ListReadableWebsitesHandler } from './readable-websites';

/** The queries over the read models. */
@Module({
  controllers: [QueryController],
  providers: [QueryRunner, QuestionPool, ProjectedPositions, Subjects, ListReadableWebsitesHandler],
})
export class QueryModule {}
