import type { PageViewed, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { conversionsIn, everyEvent, isMet, type Happened } from './naive-conditions';
import { revenueOf, type NaiveGoal } from './naive-goal-answers';
import { distinct, percent, type NaiveRequest } from './naive-request';
import { select } from './naive-selection';
import { inOrder } from './naive-sessions';
import type { Row } from './naive-website-answers';

interface NaiveAttribution {
  readonly model?: 'first' | 'last' | 'linear' | 'position';
  readonly window?: string;
}

const WHOLE = 1_000_000;
const MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Millionths of a conversion for each of its clicks, in order. */
function naiveShares(model: string, clicks: number): number[] {
  const ofClick = (nth: number) => {
    const isEnd = nth === 0 || nth === clicks - 1;
    if (model === 'first') return nth === 0 ? WHOLE : 0;
    if (model === 'last') return nth === clicks - 1 ? WHOLE : 0;
    if (model === 'linear') return Math.floor(WHOLE / clicks);
    if (clicks <= 2) return WHOLE / clicks;
    return isEnd ? 400_000 : Math.floor(200_000 / (clicks - 2));
  };
  const shares = Array.from({ length: clicks }, (_, nth) => ofClick(nth));
  shares[0]! += WHOLE - shares.reduce((sum, share) => sum + share, 0);
  return shares;
}

/** The share that a link gets of a conversion; null = none led to it. */
interface Shared {
  readonly link: string | null;
  readonly share: number;
  readonly conversion: Happened;
}

const linkOf = ({ event }: Happened) => (event as PageViewed).data.click!.linkId; // of a click

/** @param events with clicks (`withClicks`) */
export function naiveLinkConversions(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  goal: NaiveGoal,
  { model = 'last', window = '30d' }: NaiveAttribution,
): Row[] {
  const selection = select(events, request);
  const conversions = conversionsIn(selection, goal.condition);
  const every = everyEvent(events, request).filter((each) => isMet(each, { kind: 'link_click' }));
  const windowMs = Number(window.slice(0, -1)) * MS[window.slice(-1)]!;
  const shared = conversions.flatMap((conversion): Shared[] => {
    const { at, data } = conversion.event;
    const before = every
      .filter(({ event }) => data.visitorId !== null && event.data.visitorId === data.visitorId)
      .filter(({ event }) => inOrder(event, conversion.event) < 0 && event.at >= at - windowMs)
      .sort((a, b) => inOrder(a.event, b.event));
    if (before.length === 0) return [{ link: null, share: WHOLE, conversion }];
    return naiveShares(model, before.length).flatMap((share, nth) =>
      share === 0 ? [] : [{ link: linkOf(before[nth]!), share, conversion }],
    );
  });
  const links = new Set<string | null>([...selection.clicks.map(linkOf), ...shared.map(({ link }) => link)]);
  const rows = [...links].map((link) => {
    const clicks = selection.clicks.filter((click) => linkOf(click) === link);
    const own = shared.filter((each) => each.link === link);
    const share = own.reduce((sum, each) => sum + each.share, 0) / WHOLE;
    // amounts have two decimals: with the millionths these are whole numbers
    const revenue = new Map<string, { currency: string | null; sum: number; events: number; unreadable: number }>();
    for (const each of own)
      for (const { currency, sum, events: count, unreadable } of revenueOf([each.conversion], goal)) {
        const found = revenue.get(String(currency)) ?? { currency, sum: 0, events: 0, unreadable: 0 };
        found.sum += Math.round(sum * 100) * each.share;
        found.events += count * each.share;
        found.unreadable += unreadable * each.share;
        revenue.set(String(currency), found);
      }
    const sorted = [...revenue.values()].sort(({ currency: a }, { currency: b }) =>
      a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
    );
    return {
      link_id: link,
      name: null,
      external_id: null,
      clicks: clicks.length,
      visitors: distinct(clicks.map(({ event }) => event.data.visitorId)),
      conversions: share,
      percentage: percent(share, conversions.length),
      revenue: sorted.map(({ sum, events: count, unreadable, ...of }) => ({
        ...of,
        sum: sum / (100 * WHOLE),
        events: count / WHOLE,
        unreadable: unreadable / WHOLE,
      })),
    };
  });
  const nameOf = ({ link_id: id }: { readonly link_id: string | null }) => id ?? '';
  return rows.sort(
    (a, b) =>
      b.conversions - a.conversions ||
      b.clicks - a.clicks ||
      b.visitors - a.visitors ||
      (nameOf(a) < nameOf(b) ? -1 : 1),
  );
}
