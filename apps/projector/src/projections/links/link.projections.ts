import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import * as models from '@ledgerline/contracts/read-models/links';
import type { LinkDimension } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { placeText } from '@ledgerline/domain/sessions/composite-text';
import { sourceOfVisit } from '@ledgerline/domain/referrers/source-of';
import { blockStart } from '@ledgerline/domain/time/fifteen-minutes';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { withoutNul } from '@ledgerline/platform/database/text';

type Click = LinkClicked['data'];

/** By column of the facts: its read model, and its value in a click; null = unknown (referrer: direct). */
export const LINK_DIMENSIONS = {
  referrer: [models.linkReferrers, (click: Click) => sourceOfVisit(click).domain],
  country: [models.linkCountries, ({ country }: Click) => country],
  region: [models.linkRegions, ({ country, region }: Click) => placeText(country, region)],
  city: [models.linkCities, ({ country, city }: Click) => placeText(country, city)],
  device_type: [models.linkDevices, ({ device }: Click) => device],
  browser_name: [models.linkBrowsers, ({ browser }: Click) => browser],
} as const satisfies Readonly<Record<string, readonly [LinkDimension, (click: Click) => string | null]>>;

/** A read model whose rows follow from single clicks. */
export interface LinkProjection {
  readonly builds: ReadModel;
  readonly rowsOf: (click: LinkClicked) => readonly Row[];
}

const projection = <Model extends ReadModel>(
  builds: Model,
  rowsOf: (click: LinkClicked) => readonly Row<Model>[],
): LinkProjection => ({ builds, rowsOf });

/** The clicks; their visitors depend on what these did before (see link-visitors). */
const counts = projection(models.linkClicks15min, (click) =>
  blocksOf(click).map((block) => ({ ...block, clicks: 1, visitors: 0 })),
);

const dimensions = Object.values(LINK_DIMENSIONS).map(([builds, valueOf]) =>
  projection(builds, (click) => {
    const value = clean(valueOf(click.data));
    return blocksOf(click).map((block) => ({ ...block, value, clicks: 1 }));
  }),
);

/** Facts: each click with what filters ask for. */
const facts = projection(models.linkClicks, (click) => {
  return [{ ...keyOfClick(click), at: click.at, ...valuesOf(click.data) }];
});

/** The key of a click in the facts. */
export function keyOfClick({ id: eventId, data }: LinkClicked) {
  const id = decodeEventId(eventId).toString('hex');
  return { link_id: data.linkId, actor: data.visitorId ?? id, id };
}

export const LINK_PROJECTIONS: readonly LinkProjection[] = [counts, ...dimensions, facts];

const blocksOf = ({ at, data }: LinkClicked) =>
  LINK_SPANS.map((span) => ({ link_id: data.linkId, span, start_15min: blockStart(at, span) }));

/** All values of a click by the columns of the facts. */
const valuesOf = (click: Click) =>
  Object.fromEntries(
    Object.entries(LINK_DIMENSIONS).map(([column, [, valueOf]]) => [column, clean(valueOf(click))]),
  ) as Readonly<Record<keyof typeof LINK_DIMENSIONS, string>>; // it has the keys it was made from

const clean = (text: string | null): string => (text === null ? '' : withoutNul(text));
