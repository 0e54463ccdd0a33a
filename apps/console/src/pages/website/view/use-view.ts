import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { scopeOf } from './view-scope';
import type { ViewSearch } from './view-search';
import { toggleValue } from './filter-fields';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId');

/** Parts of an address; undefined takes one out. */
type Change = Readonly<Record<string, unknown>>;

/** The website, the part of its events that the address selects, and the ways to select another one. */
export function useView() {
  const { website } = route.useRouteContext();
  const { organizationId, websiteId } = route.useParams();
  const search: ViewSearch = route.useSearch();
  const navigate = useNavigate();
  const scope = useMemo(() => scopeOf(websiteId, search), [websiteId, search]);
  const change = useCallback(
    (parts: Change) =>
      void navigate({ to: '.', search: (before) => without({ ...before, ...parts }), resetScroll: false }),
    [navigate],
  );
  /** Another selection has other pages of its lists. */
  const select = useCallback(
    (parts: Partial<{ [Part in keyof ViewSearch]: ViewSearch[Part] | undefined }>) =>
      change({ ...parts, page: undefined }),
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
  return { website, organizationId, websiteId, search, filters, scope, change, select, toggle };
}

/** What is undefined is not in an address. */
const without = (search: Change): Change =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

/** The parts of an address that all pages of a website share. */
export const sharedSearch = ({ preset, from, to, compare, granularity, timezone, filters }: ViewSearch): ViewSearch =>
  without({ preset, from, to, compare, granularity, timezone, filters });
