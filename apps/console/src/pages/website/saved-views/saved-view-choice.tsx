import { lazy, Suspense } from 'react';
import { Popover } from '../../../components/overlays';
import { Skeleton } from '../../../components/states';
import type { useView } from '../view/use-view';

/** Loaded when it is first opened. */
const SavedViewMenu = lazy(async () => ({ default: (await import('./saved-view.menu')).SavedViewMenu }));

/** The ranges, filters and comparisons that have a name. */
export const SavedViewChoice = ({ view }: { readonly view: ReturnType<typeof useView> }) => (
  <Popover shown="Views ▾" label="Saved views">
    {(close) => (
      <Suspense fallback={<Skeleton lines={4} label="the saved views" />}>
        <SavedViewMenu view={view} onChosen={close} />
      </Suspense>
    )}
  </Popover>
);
