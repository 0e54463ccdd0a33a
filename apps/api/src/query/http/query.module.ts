import { Module } from '@nestjs/common';
import { QueryController } from './query.controller';
import { ProjectedPositions } from '../execution/projected-positions';
import { OverviewRunner } from '../execution/overview';
import { QueryRunner } from '../execution/query-runner';
import { SnapshotRunner } from '../query-run';
import { AnswerCache } from '../execution/answer-cache';
import { QueryTargets } from '../request/query-targets';
import { SessionCounter } from '../session-columns/session-counter';
import { ListReadableWebsitesHandler } from './readable-websites';

/** The queries over the read models. */
@Module({
  controllers: [QueryController],
  providers: [
    QueryRunner,
    OverviewRunner,
    SnapshotRunner,
    SessionCounter,
    ProjectedPositions,
    AnswerCache,
    QueryTargets,
    ListReadableWebsitesHandler,
  ],
  exports: [QueryRunner, QueryTargets, SnapshotRunner],
})
export class QueryModule {}
