import { linkReferrers } from '@ledgerline/contracts/read-models/links';
import { sourceOfReferrer } from '@ledgerline/domain/referrers/source-of';
import { byProperty } from './click';

export const linkReferrersProjection = byProperty(linkReferrers, ({ referrer }) => sourceOfReferrer(referrer).domain);
