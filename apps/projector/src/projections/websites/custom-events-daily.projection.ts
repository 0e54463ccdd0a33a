import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEventsDaily } from '@ledgerline/contracts/read-models/website-events';
import { rollup } from '../rollup';
import { inBlocks } from './spread-in-blocks';

export const customEventsDailyProjection = rollup(
  customEventsDaily,
  ({ website, near, calendar }, add) => {
    for (const { session } of near) {
      if (session.customEvents === 0) continue;
      for (const { kind, at, word: value, more } of session.hits) {
        if (kind !== HIT.custom) continue;
        const key = { website, span: 1, day: calendar.day(at), value };
        add({ ...key, total_events: 1, events_with_properties: more, first_at: at, last_at: at });
      }
    }
  },
  inBlocks,
);
