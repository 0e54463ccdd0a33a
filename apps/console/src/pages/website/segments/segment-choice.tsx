import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { segmentsQuery } from '../../../api/segments';
import { ViewChoice, type MenuProps } from '../view/choice';

const SegmentMenu = lazy(async () => ({ default: (await import('./segment.menu')).SegmentMenu }));

/** Chooses the segment whose sessions a page of a website is about. */
export function SegmentChoice({ view }: Pick<MenuProps, 'view'>) {
  const { segment } = view.search;
  const { data } = useQuery({ ...segmentsQuery(view), enabled: segment !== undefined });
  const name = data?.find(({ id }) => id === segment)?.name ?? (data ? 'Deleted segment' : '…');
  return <ViewChoice view={view} label="Segment" shown={segment === undefined ? 'Segment' : name} menu={SegmentMenu} />;
}
