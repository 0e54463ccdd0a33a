import type { IntakeLog, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { INTAKE_LOG } from '../tokens';
import { RecordHits } from './record-hits.command';

/** Resolves after the commit. @throws LogUnavailable when nothing was accepted */
@CommandHandler(RecordHits)
export class RecordHitsHandler implements ICommandHandler<RecordHits> {
  constructor(@Inject(INTAKE_LOG) private readonly log: IntakeLog) {}

  execute({ hits }: RecordHits): Promise<SendResult> {
    return this.log.send(hits);
  }
}
