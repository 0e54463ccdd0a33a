import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AskQuestions, type QueryAnswer } from '../request/ask';
import { QueryRunner } from './query-runner';

@QueryHandler(AskQuestions)
export class AskQuestionsHandler implements IQueryHandler<AskQuestions> {
  constructor(private readonly runner: QueryRunner) {}

  execute({ asked }: AskQuestions): Promise<QueryAnswer> {
    return this.runner.run(asked);
  }
}
