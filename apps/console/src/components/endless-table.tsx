import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type FocusEvent } from 'react';
import { Table, type TableProps } from './table';

interface EndlessTableProps<Row> extends TableProps<Row> {
  /** The number of rows in all, as far as it is known. */
  readonly total: number;
  readonly hasMore: boolean;
  /** Loads further rows; it is called again until they are there. */
  readonly onMore: () => void;
}

/** In pixels, until a row is measured. */
const ROW_HEIGHT = 35;
/** The number of rows in the page beside the visible ones. */
const OVERSCAN = 15;

/**
 * A table of any length that scrolls with the page: it holds the rows near the visible ones and the one that has the
 * focus, and loads rows as it goes.
 */
export function EndlessTable<Row>({ rows, total, hasMore, onMore, ...table }: EndlessTableProps<Row>) {
  const place = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const [focused, setFocused] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      if (place.current) setScrollMargin(place.current.getBoundingClientRect().top + window.scrollY);
    };
    measure();
    const observer = new ResizeObserver(measure); // what is above it may open and close
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const withFocused = useCallback(
    (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      const isFar = focused !== undefined && focused < range.count && !indexes.includes(focused);
      return isFar ? [...indexes, focused].toSorted((one, other) => one - other) : indexes;
    },
    [focused],
  );
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin,
    rangeExtractor: withFocused,
  });
  const items = virtualizer.getVirtualItems();
  const last = virtualizer.range?.endIndex ?? 0;
  const isNearEnd = hasMore && last + OVERSCAN * 2 >= rows.length;
  useEffect(() => {
    if (isNearEnd) onMore();
  }, [isNearEnd, onMore, rows.length]);
  const part = {
    places: items.map(({ index, start }, at) => ({ index, before: start - (items[at - 1]?.end ?? scrollMargin) })),
    total,
    after: virtualizer.getTotalSize() + scrollMargin - (items.at(-1)?.end ?? scrollMargin),
    measure: virtualizer.measureElement,
  };
  return (
    <div
      ref={place}
      onFocus={({ target }) => setFocused(indexOf(target))}
      onBlur={(event) => leaves(event) && setFocused(undefined)}
    >
      <Table {...table} rows={items.flatMap(({ index }) => rows[index] ?? [])} part={part} />
    </div>
  );
}

function indexOf(element: HTMLElement): number | undefined {
  const index = element.closest('tr')?.dataset['index'];
  return index === undefined ? undefined : Number(index);
}

const leaves = ({ currentTarget, relatedTarget }: FocusEvent): boolean => !currentTarget.contains(relatedTarget);
