import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { LinkDimension } from '@ledgerline/contracts/read-models/links';
import { PART } from '@ledgerline/contracts/read-models/words';
import { eventProjection } from '../event-projection';

export const linkProjection = eventProjection<LinkClicked>();

const QUARTER_MS = 15 * 60_000;

/** The quarter of an hour (UTC) an instant belongs to. */
export const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;

/** Clicks by quarter and a property of the click; '' = unknown. */
export const byProperty = (builds: LinkDimension, valueOf: (click: LinkClicked['data']) => string | null) =>
  linkProjection(builds, {
    LinkClicked: ({ at, data }) => [
      { link_id: data.linkId, quarter: quarterOf(at), value: cleaned(valueOf(data) ?? ''), clicks: 1 },
    ],
  });

/** A place inside a country, as one value; null = unknown. */
export const within = (country: string | null, place: string | null): string | null =>
  place === null ? null : `${country ?? ''}${PART}${place}`;

/** Postgres takes no NUL in a text. */
export const cleaned = (text: string): string => text.replaceAll('\u0000', '');
