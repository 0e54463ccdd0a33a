import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Table, type TableProps } from './table';

interface EndlessTableProps<Row> extends TableProps<Row> {
  /** How many rows there are in all, as far as it is known. */
  readonly total: number;
  readonly hasMore: boolean;
  /** Loads further rows; it is called again until they are there. */
  readonly onMore: () => void;
}

/** In pixels, until a row is measured. */
const ROW_HEIGHT = 47;
/** How many rows beside the visible ones are in the page. */
const OVERSCAN = 15;

/** A table of any length that scrolls with the page: it holds the rows near the visible ones, and loads them as it goes. */
export function EndlessTable<Row>({ rows, total, hasMore, onMore, ...table }: EndlessTableProps<Row>) {
  const place = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    if (place.current) setScrollMargin(place.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const isNearEnd = hasMore && (last?.index ?? 0) >= rows.length - OVERSCAN;
  useEffect(() => {
    if (isNearEnd) onMore();
  }, [isNearEnd, onMore, rows.length]);
  const part = {
    first: first?.index ?? 0,
    total,
    before: (first?.start ?? scrollMargin) - scrollMargin,
    after: virtualizer.getTotalSize() + scrollMargin - (last?.end ?? scrollMargin),
    measure: virtualizer.measureElement,
  };
  return (
    <div ref={place}>
      <Table {...table} rows={rows.slice(part.first, (last?.index ?? -1) + 1)} part={part} />
    </div>
  );
}
