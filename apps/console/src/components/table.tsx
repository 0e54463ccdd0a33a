import { Fragment, useEffect, useRef, type ReactNode } from 'react';

export interface TableColumn<Row> {
  /** The header, which also identifies the column. */
  readonly header: string;
  /** In the place of the plain header: a button, an explanation. */
  readonly heading?: ReactNode;
  /** The order in which the rows are sorted by it, if they are. */
  readonly order?: 'ascending' | 'descending' | undefined;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned at their end. */
  readonly isNumber?: boolean;
}

/** The rows of a longer table that are in the page. */
interface TablePart {
  /** The place of each, from 0, and the height of the rows before it that are not in the page, in pixels. */
  readonly places: readonly { readonly index: number; readonly before: number }[];
  readonly total: number;
  /** The height of the rows behind them. */
  readonly after: number;
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

export interface TableProps<Row> {
  /** Tells screen readers what the rows are. */
  readonly caption: string;
  /** The first one names its row. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly part?: TablePart;
}

/** A table that scrolls in itself where it is too wide, and shows the column that it is sorted by. */
export function Table<Row>({ caption, columns, rows, keyOf, part }: TableProps<Row>) {
  const region = useRef<HTMLDivElement>(null);
  const sorted = columns.find(({ order }) => order !== undefined)?.header;
  useEffect(() => {
    if (sorted !== undefined && region.current) showSorted(region.current);
  }, [sorted]);
  return (
    <div ref={region} className="table" role="region" aria-label={caption} tabIndex={0}>
      <table aria-rowcount={part && part.total + 1}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ header, heading, order, isNumber }) => (
              <th key={header} scope="col" className={isNumber ? 'number' : undefined} aria-sort={order}>
                {heading ?? header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const place = part?.places[at];
            return (
              <Fragment key={keyOf(row)}>
                <Gap height={place?.before} />
                <tr ref={part?.measure} data-index={place?.index} aria-rowindex={place && place.index + 2}>
                  {columns.map(({ header, cell, isNumber }, index) =>
                    index === 0 ? (
                      <th key={header} scope="row">
                        {cell(row)}
                      </th>
                    ) : (
                      <td key={header} className={isNumber ? 'number' : undefined}>
                        {cell(row)}
                      </td>
                    ),
                  )}
                </tr>
              </Fragment>
            );
          })}
          <Gap height={part?.after} />
        </tbody>
      </table>
    </div>
  );
}

/** Scrolls to the column that sorts; the first one may stay in its place and hide what is below it. */
function showSorted(region: HTMLElement): void {
  const first = region.querySelector('th');
  const header = region.querySelector('th[aria-sort]');
  if (!first || !header || first === header) return;
  const { right: start } = first.getBoundingClientRect();
  const { right: end } = region.getBoundingClientRect();
  const { left, right } = header.getBoundingClientRect();
  if (right > end) region.scrollLeft += right - end;
  else if (left < start) region.scrollLeft -= start - left;
}

/** In the place of rows that are not in the page. */
const Gap = ({ height = 0 }: { readonly height: number | undefined }) =>
  height > 0 && <tr aria-hidden="true" className="gap" style={{ height }} />;
