import { lazy, Suspense } from 'react';
import { Popover } from '../../../components/overlays';
import { Skeleton } from '../../../components/states';
import { formatDays } from '../format';
import type { OptionsProps } from './range.menu';
import type { Selection } from './use-view';
import { DEFAULT_PRESET, PRESET_OPTIONS } from './view-search';

/** Loaded when they are first opened. */
const RangeMenu = lazy(async () => ({ default: (await import('./range.menu')).RangeMenu }));
const Options = lazy(async () => ({ default: (await import('./range.menu')).Options }));

/** The range of the page: a named one, or days of the calendar. */
export function RangePicker({ view }: { readonly view: Selection }) {
  const { preset = DEFAULT_PRESET, from, to } = view.search;
  const name = PRESET_OPTIONS.find(([each]) => each === preset)?.[1];
  return (
    <Popover shown={<>{from !== undefined && to !== undefined ? formatDays(from, to) : name} ▾</>} label="Range">
      {(close) => (
        <Suspense fallback={<Skeleton lines={8} label="the ranges" />}>
          <RangeMenu view={view} onChosen={close} />
        </Suspense>
      )}
    </Popover>
  );
}

/** Shows what the figures are compared with, how fine their course is, and whose days they are of. */
export const ViewOptions = (props: OptionsProps) => (
  <Popover shown={<>Options ▾</>} label="Options">
    {() => (
      <Suspense fallback={<Skeleton lines={6} label="the options" />}>
        <Options {...props} />
      </Suspense>
    )}
  </Popover>
);
