import { exitPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { dimension } from './dimension';

export const exitPagesProjection = dimension(exitPages, ({ stays }) =>
  stays.flatMap(({ session, enteredDay: day }) =>
    day === undefined ? [] : [{ value: session.exitPath, day, pageviews: 1, sessions: 1 }],
  ),
);
