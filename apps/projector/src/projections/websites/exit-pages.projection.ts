import { exitPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { bySession } from './dimension';

export const exitPagesProjection = bySession(exitPages, ({ exitPath }) => exitPath);
