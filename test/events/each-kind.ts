import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { pageView } from './observed-events';

/** A hit of each kind that has a row of its own, by one visitor. */
export function eachKindOf(websiteId: string, zone: string): readonly WebsiteObservedEvent[] {
  const view = pageView(Date.parse('2026-05-24T12:00:00Z'), { websiteId, zone });
  const of = (n: number) => ({
    ...pageView(view.at + n * 1_000, { websiteId, zone }),
    data: { ...view.data, path: '/' },
  });
  const click = of(1);
  const error = of(2);
  const event = of(3);
  const vital = of(4);
  const span = of(5);
  const properties = { plan: 'pro', deep: { b: [1, 2.5, 'é'], a: null } };
  return [
    view,
    {
      ...click,
      type: 'OutgoingLinkClicked',
      data: { ...click.data, href: 'https://example.com/a', linkKind: 'link', own: false, text: 'E' },
    },
    {
      ...error,
      type: 'ErrorRecorded',
      data: { ...error.data, message: 'no', errorType: null, filename: 'a.js', line: 1, column: 2, stack: 'at a.js' },
    },
    {
      ...event,
      type: 'CustomEventTracked',
      data: { ...event.data, name: 'buy', namespace: 'shop', properties, profileId: null, source: null },
    },
    { ...vital, type: 'VitalMeasured', data: { ...vital.data, metric: 'LCP', value: 1.25 } },
    {
      ...span,
      type: 'EngagementMeasured',
      data: { ...span.data, timeOnPage: 3, span: { activeTime: 1, rageClickCount: 1, rageClickTarget: 'a' } },
    },
  ];
}
