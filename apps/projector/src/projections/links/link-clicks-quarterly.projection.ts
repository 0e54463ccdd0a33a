import { QUARTER_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkClicksQuarterly } from '@ledgerline/contracts/read-models/links';
import { quarterBlock } from '@ledgerline/domain/time/quarters';
import { linkProjection } from './click';

/** The clicks; their visitors depend on what these did before (see link-visitors). */
export const linkClicksQuarterlyProjection = linkProjection(linkClicksQuarterly, {
  LinkClicked: ({ at, data }) =>
    QUARTER_SPANS.map((span) => {
      return { link_id: data.linkId, span, quarter: quarterBlock(at, span), clicks: 1, visitors: 0 };
    }),
});
