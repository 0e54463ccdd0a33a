import { linkCities, linkDevices } from '@ledgerline/contracts/read-models/links';
import { key, meaning, readModel, sum, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  LINK_PROJECTIONS,
  type LinkProjection,
  linksGroup,
} from '../../apps/projector/src/projections/links/links-group';

/** With a column more: twice the clicks. */
export const citiesWithMore = { ...linkCities, columns: { ...linkCities.columns, more: sum() } };
/** A declaration with the same columns, of which the values are upper case. */
export const otherDevices = meaning(linkDevices, 7);
/** One row for each link. */
export const linkNews = readModel('link_news', { link_id: key('text'), clicks: sum() });

const [CITIES, DEVICES] = [linkCities, linkDevices].map(({ name }) =>
  LINK_PROJECTIONS.find(({ builds }) => builds.name === name)!,
);

const UPGRADED: ReadonlyMap<string, LinkProjection> = new Map([
  [
    'link_cities',
    {
      builds: citiesWithMore,
      rowsOf: (click) => CITIES!.rowsOf(click).map((row) => ({ ...row, more: 2 })),
    },
  ],
  [
    'link_devices',
    {
      builds: otherDevices,
      rowsOf: (click) => DEVICES!.rowsOf(click).map((row) => ({ ...row, value: String(row['value']).toUpperCase() })),
    },
  ],
]);

/** The group of a program that adds a column and a table, and changes what a table means. */
export const upgradedLinks = () =>
  linksGroup([
    ...LINK_PROJECTIONS.map((projection) => UPGRADED.get(projection.builds.name) ?? projection),
    { builds: linkNews, rowsOf: ({ data }) => [{ link_id: data.linkId, clicks: 1 }] },
  ]);

/** The group of a program to which the table of clicks, which computing reads, means something else. */
export const linksWithOtherState = () => {
  const links = linksGroup();
  const change = (model: ReadModel) => (model.name === 'link_clicks' ? meaning(model, 7) : model);
  const builds = links.builds.map(change);
  return { ...links, builds, state: builds.filter(({ name }) => links.state.some((model) => model.name === name)) };
};
