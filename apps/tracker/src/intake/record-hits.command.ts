import type { Hit, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { Command } from '@nestjs/cqrs';

/** Make these hits durable. */
export class RecordHits extends Command<SendResult> {
  constructor(readonly hits: readonly Hit[]) {
    super();
  }
}
