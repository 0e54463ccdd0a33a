import { linkClicksQuarterly } from '@ledgerline/contracts/read-models/links';
import { linkProjection, quarterOf } from './click';

export const linkClicksQuarterlyProjection = linkProjection(linkClicksQuarterly, {
  LinkClicked: ({ at, data }) => [{ link_id: data.linkId, quarter: quarterOf(at), clicks: 1 }],
});
