import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEventsDaily, outboundLinksDaily } from '@ledgerline/contracts/read-models/website-events';
import { intoBlocks } from './into-blocks';
import { rollup, type Rollup } from './rollup';

const customEventTotals = rollup(
  customEventsDaily,
  ({ website, near, calendar }, add) => {
    for (const { session } of near) {
      if (session.customEvents === 0) continue;
      for (const { kind, at, text: value, extra } of session.hits) {
        if (kind !== HIT.custom) continue;
        const key = { website, span: 1, day: calendar.day(at), value };
        add({ ...key, total_events: 1, events_with_properties: extra, first_at: at, last_at: at });
      }
    }
  },
  intoBlocks,
);

const outboundLinkTotals = rollup(
  outboundLinksDaily,
  ({ website, near, calendar, domainOf }, add) => {
    for (const { session } of near) {
      if (session.outgoingLinks === 0) continue;
      for (const { kind, at, id, text: value, extra: text } of session.hits) {
        if (kind !== HIT.outgoing) continue;
        const last_click = `${new Date(at).toISOString()} ${id}`;
        const key = { website, span: 1, day: calendar.day(at), value, domain: domainOf(value) };
        add({ ...key, total_clicks: 1, last_at: at, last_click, text });
      }
    }
  },
  intoBlocks,
);

export const ACTIONS: readonly Rollup[] = [customEventTotals, outboundLinkTotals];
