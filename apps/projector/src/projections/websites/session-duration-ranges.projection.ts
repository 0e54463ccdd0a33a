import { sessionDurationRanges } from '@ledgerline/contracts/read-models/website-dimensions';
import { durationRange } from '@ledgerline/domain/sessions/duration-ranges';
import { dimension } from './dimension';

export const sessionDurationRangesProjection = dimension(sessionDurationRanges, ({ stays }) =>
  stays.flatMap(({ session, enteredDay: day }) =>
    day === undefined ? [] : [{ value: durationRange(session.durationMs), day, pageviews: 1, sessions: 1 }],
  ),
);
