import { entryPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { dimension } from './dimension';

export const entryPagesProjection = dimension(entryPages, ({ stays }) =>
  stays.flatMap(({ session, enteredDay: day }) =>
    day === undefined ? [] : [{ value: session.entryPath, day, pageviews: 1, sessions: 1 }],
  ),
);
