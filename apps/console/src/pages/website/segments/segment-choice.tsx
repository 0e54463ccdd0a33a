import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { segmentsQuery } from '../../../api/segments';
import { Popover } from '../../../components/overlays';
import { Skeleton } from '../../../components/states';
import type { useView } from '../view/use-view';

/** Loaded when it is first opened. */
const SegmentMenu = lazy(async () => ({ default: (await import('./segment.menu')).SegmentMenu }));

/** Whose sessions a page of a website is about. */
export function SegmentChoice({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { segment } = view.search;
  const { data } = useQuery({ ...segmentsQuery(view), enabled: segment !== undefined });
  const name = data?.find(({ id }) => id === segment)?.name ?? (data ? 'Deleted segment' : '…');
  return (
    <Popover shown={<>{segment === undefined ? 'Segment' : name} ▾</>} label="Segment">
      {(close) => (
        <Suspense fallback={<Skeleton lines={4} label="the segments" />}>
          <SegmentMenu view={view} onChosen={close} />
        </Suspense>
      )}
    </Popover>
  );
}
