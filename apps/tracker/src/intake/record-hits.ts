import type { IntakeItem, IntakeSender, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { activeTraceparent } from '@ledgerline/platform/tracing/tracing';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { INTAKE_LOG } from '../tokens';
import { subjectOf, type IntakeContext, type IntakeDeps } from './intake-context';

/** Sends the events to the intake log; resolves when they are durable. */
export function recordHits(context: IntakeContext, deps: Pick<IntakeDeps, 'recordHits'>): Promise<void> | undefined {
  const hits: IntakeItem[] = [];
  const trace = activeTraceparent();
  for (const item of context.items) {
    const dedupe = item.payload.clientEventId === null ? 'never' : '48h';
    for (const event of [item.event, item.identification])
      if (event !== null) hits.push({ event, subject: subjectOf(item), dedupe, trace });
  }
  if (hits.length === 0) return undefined;
  return deps.recordHits(hits).then(({ positions }) => {
    context.positions = positions;
  });
}

/** Make these hits durable. */
export class RecordHits extends Command<SendResult> {
  constructor(readonly hits: readonly IntakeItem[]) {
    super();
  }
}

/** Resolves after the commit. @throws LogUnavailable when nothing was accepted · OutcomeUnknown */
@CommandHandler(RecordHits)
export class RecordHitsHandler implements ICommandHandler<RecordHits> {
  constructor(@Inject(INTAKE_LOG) private readonly log: IntakeSender) {}

  execute({ hits }: RecordHits): Promise<SendResult> {
    return this.log.send(hits);
  }
}
