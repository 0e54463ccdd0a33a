import { entryPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { bySession } from './dimension';

export const entryPagesProjection = bySession(entryPages, ({ entryPath }) => entryPath);
