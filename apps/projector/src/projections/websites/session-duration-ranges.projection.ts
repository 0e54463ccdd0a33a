import { sessionDurationRanges } from '@ledgerline/contracts/read-models/website-dimensions';
import { durationRange } from '@ledgerline/domain/sessions/duration-ranges';
import { bySession } from './dimension';

export const sessionDurationRangesProjection = bySession(sessionDurationRanges, ({ durationMs }) =>
  durationRange(durationMs),
);
