import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { FILTER_FIELDS, type FilterFields, toggleValue } from './filter-fields';
import { rememberView, scopeOf } from './view-scope';
import type { ViewSearch } from './view-search';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId');

/** Parts of an address; undefined takes one out. */
type Change = Readonly<Record<string, unknown>>;

/** A website, a link, a tag or a share, none where several are looked at; and the time zone of days if the api is not to choose it. */
export type Target = { readonly timezone?: string } & (
  | { readonly website: string; readonly link?: never; readonly share?: never }
  | { readonly link: string; readonly website?: never; readonly share?: never }
  | { readonly tag: string; readonly website?: never; readonly link?: never; readonly share?: never }
  | { readonly share: string; readonly website?: never; readonly link?: never }
  | { readonly website?: never; readonly link?: never; readonly share?: never }
);

interface SelectionOptions<Of extends Target> {
  readonly target: Of;
  /** The time zone whose days they are while no other is chosen, and how that choice is called. */
  readonly zone: string;
  readonly zoneText: string;
  /** The fields that can be filtered by, if it is not all of a website. */
  readonly fields?: FilterFields;
}

export type Selection = ReturnType<typeof useSelection<Target>>;

/** The part of events that the address selects, and the ways to select another one. */
export function useSelection<Of extends Target>(options: SelectionOptions<Of>, search: ViewSearch) {
  const { target, zone, zoneText, fields = FILTER_FIELDS } = options;
  const navigate = useNavigate();
  const scope = scopeOf(target, search);
  const change = useCallback(
    (parts: Change): void =>
      void navigate({ to: '.', search: (before) => without({ ...before, ...parts }), resetScroll: false }),
    [navigate],
  );
  /** Another selection has other pages of its lists; a named range is also taken for other websites and links. */
  const select = useCallback(
    (parts: Partial<{ [Part in keyof ViewSearch]: ViewSearch[Part] | undefined }>) => {
      const { preset, ...others } = parts;
      rememberView(preset === undefined ? others : parts);
      change({ ...parts, page: undefined });
    },
    [change],
  );
  const { filters = [] } = search;
  const toggle = useCallback(
    (field: string, value: string) => {
      const next = toggleValue(filters, field, value);
      select({ filters: next.length > 0 ? next : undefined });
    },
    [filters, select],
  );
  return { target, zone, zoneText, fields, search, filters, scope, change, select, toggle };
}

/** A website, and what is selected of it. */
export function useView() {
  const { website } = route.useRouteContext();
  const { organizationId, websiteId } = route.useParams();
  const { timezone: zone } = website;
  const options = { target: { website: websiteId }, zone, zoneText: `${zone} (of the website)` };
  const about = useMemo(() => ({ organizationId, websiteId }), [organizationId, websiteId]);
  return { website, organizationId, websiteId, about, ...useSelection(options, route.useSearch()) };
}

/** Returns a change without what is undefined, which is not in an address. */
const without = (search: Change): Change =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

const SHARED = [
  'preset',
  'from',
  'to',
  'compare',
  'granularity',
  'timezone',
  'filters',
  'segment',
  'goal',
  'snapshot',
] as const satisfies readonly (keyof ViewSearch)[];

/** The parts of an address that all pages of a website share. */
export const sharedSearch = (search: ViewSearch): ViewSearch =>
  without(Object.fromEntries(SHARED.map((name) => [name, search[name]])));
