import { Module } from '@nestjs/common';
import { QueryController } from './query.controller';
import { ProjectedPositions } from '../execution/projected-positions';
import { QueryRunner } from '../execution/query-runner';
import { SnapshotRunner } from '../execution/snapshot-runner';
import { AnswerCache } from '../execution/answer-cache';
import { QueryTargets } from '../request/query-target';
import { SessionCounter } from '../execution/session-counter';
import { ListReadableWebsitesHandler } from './readable-websites';

/** The queries over the read models. */
@Module({
  controllers: [QueryController],
  providers: [
    QueryRunner,
    SnapshotRunner,
    SessionCounter,
    ProjectedPositions,
    AnswerCache,
    QueryTargets,
    ListReadableWebsitesHandler,
  ],
})
export class QueryModule {}
