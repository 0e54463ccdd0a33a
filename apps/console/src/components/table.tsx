import type { ReactNode } from 'react';

export interface Column<Row> {
  /** Also what identifies the column. */
  readonly header: string;
  /** In the place of the plain header: a button, an explanation. */
  readonly heading?: ReactNode;
  /** How the rows are sorted by it, if they are. */
  readonly order?: 'ascending' | 'descending' | undefined;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned at their end. */
  readonly isNumber?: boolean;
}

interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly caption: string;
  /** The first one names its row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table that scrolls in itself where it is too wide. */
export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>) => (
  <div className="table" role="region" aria-label={caption} tabIndex={0}>
    <table>
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
        {rows.map((row) => (
          <tr key={keyOf(row)}>
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
        ))}
      </tbody>
    </table>
  </div>
);
