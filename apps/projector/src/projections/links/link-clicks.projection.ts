import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { sourceOfReferrer } from '@ledgerline/domain/referrers/source-of';
import { cleaned, linkProjection, within } from './click';

/** Facts: each click with what filters ask for. */
export const linkClicksProjection = linkProjection(linkClicks, {
  LinkClicked: ({ id: eventId, at, data }) => {
    const id = decodeEventId(eventId).toString('hex');
    return [
      {
        link_id: data.linkId,
        unit: data.visitorId ?? id,
        id,
        at,
        referrer: cleaned(sourceOfReferrer(data.referrer).domain),
        country: cleaned(data.country ?? ''),
        region: cleaned(within(data.country, data.region) ?? ''),
        city: cleaned(within(data.country, data.city) ?? ''),
        device_type: data.device,
        browser_name: cleaned(data.browser ?? ''),
      },
    ];
  },
});
