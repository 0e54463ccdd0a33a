import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { outboundLinksDaily } from '@ledgerline/contracts/read-models/website-events';
import { rollup } from '../rollup';
import { inBlocks } from './spread-in-blocks';

export const outboundLinksDailyProjection = rollup(
  outboundLinksDaily,
  ({ website, near, calendar, domainOf }, add) => {
    for (const { session } of near) {
      if (session.outgoingLinks === 0) continue;
      for (const { kind, at, id, word: value, more: text } of session.hits) {
        if (kind !== HIT.outgoing) continue;
        const last_click = `${new Date(at).toISOString()} ${id}`;
        const key = { website, span: 1, day: calendar.day(at), value, domain: domainOf(value) };
        add({ ...key, total_clicks: 1, last_at: at, last_click, text });
      }
    }
  },
  inBlocks,
);
