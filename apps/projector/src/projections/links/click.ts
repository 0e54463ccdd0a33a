import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { QUARTER_SPANS } from '@ledgerline/contracts/read-models/blocks';
import type { LinkDimension } from '@ledgerline/contracts/read-models/links';
import { PART } from '@ledgerline/contracts/read-models/words';
import { quarterBlock } from '@ledgerline/domain/time/quarters';
import { eventProjection } from '../event-projection';

export const linkProjection = eventProjection<LinkClicked>();

/** Clicks by block of time and a property of the click; '' = unknown. */
export const byProperty = (builds: LinkDimension, valueOf: (click: LinkClicked['data']) => string | null) =>
  linkProjection(builds, {
    LinkClicked: ({ at, data }) => {
      const value = cleaned(valueOf(data) ?? '');
      return QUARTER_SPANS.map((span) => {
        return { link_id: data.linkId, span, quarter: quarterBlock(at, span), value, clicks: 1 };
      });
    },
  });

/** A place inside a country, as one value; null = unknown. */
export const within = (country: string | null, place: string | null): string | null =>
  place === null ? null : `${country ?? ''}${PART}${place}`;

/** Postgres takes no NUL in a text. */
export const cleaned = (text: string): string => text.replaceAll('\u0000', '');
