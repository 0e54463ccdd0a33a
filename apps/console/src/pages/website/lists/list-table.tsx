import type { CSSProperties, ReactNode } from 'react';
import { Tooltip } from '../../../components/overlays';
import { type TableColumn, Table } from '../../../components/table';
import { formatChange, isText } from '../format';
import { type AnyRow, ListCell, type ListView } from './cell';
import { type ListColumn, type ListDeclaration, fieldNamed } from './declare-list';

export interface Sort {
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

interface ListTableProps {
  readonly list: ListDeclaration;
  readonly columns?: readonly ListColumn[];
  readonly rows: readonly AnyRow[];
  readonly view: ListView;
  readonly timeZone: string;
  readonly sort?: Sort | undefined;
  /** Without it, the headers sort nothing. */
  readonly onSort?: (sort: Sort) => void;
  /** The actions that can be done with a row. */
  readonly actions?: ((row: AnyRow) => ReactNode) | undefined;
}

/** Rows of a list as its declaration says: what they mean, how long their bars are, and what a click filters by. */
export function ListTable(props: ListTableProps) {
  const { list, columns = list.columns, rows, view, timeZone, sort, onSort, actions } = props;
  const drawn = isCount(sort?.field) ? sort?.field : list.share;
  const largest = Math.max(...rows.map((row) => numberIn(row, drawn)), 1);
  const keys = keysOf(list, rows);
  const shown = columns.map((column, at): TableColumn<AnyRow> => {
    const isNumber = !isText(column.kind) && column.kind !== 'properties';
    const content = (row: AnyRow) => <ListCell column={column} row={row} view={view} timeZone={timeZone} />;
    return {
      header: column.header,
      heading: <Heading column={column} sorts={onSort ? list.sorts : []} sort={sort} onSort={onSort} />,
      order: sort?.field === column.field ? (sort.order === 'asc' ? 'ascending' : 'descending') : undefined,
      isNumber,
      cell: at > 0 ? content : (row) => <Bar share={numberIn(row, drawn) / largest}>{content(row)}</Bar>,
    };
  });
  const changes = rows.some((row) => row['change_percent'] !== undefined) ? [changeColumn({ rows, sort, onSort })] : [];
  return (
    <Table
      caption={`${list.title}, as a table`}
      columns={[...shown, ...changes, ...(actions ? [{ header: 'Actions', cell: actions }] : [])]}
      rows={rows}
      keyOf={(row) => keys.get(row) ?? ''}
    />
  );
}

const isCount = (field = ''): boolean => fieldNamed(field).kind === 'count';

const numberIn = (row: AnyRow, field = ''): number => {
  const value = row[field];
  return typeof value === 'number' ? value : 0;
};

/**
 * Rows of lists have no id of their own: what they are about stays when their figures change, so that they keep the
 * focus then. Equal ones are distinguished by their order.
 */
function keysOf({ columns }: ListDeclaration, rows: readonly AnyRow[]): ReadonlyMap<AnyRow, string> {
  const labels = columns.filter(({ kind }) => isText(kind));
  const counts = new Map<string, number>();
  return new Map(
    rows.map((row) => {
      const key = JSON.stringify(labels.map(({ field }) => row[field]));
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return [row, `${key} ${count}`];
    }),
  );
}

/** Shows how long a row is beside the longest one, behind its name. */
function Bar({ share, children }: { readonly share: number; readonly children: ReactNode }) {
  const style: StyleWithVariables = { '--share': `${(share * 100).toFixed(1)}%` };
  return (
    <span className="bar" style={style}>
      {children}
    </span>
  );
}

/** A style with variables of CSS, which the types of React lack. */
export type StyleWithVariables = CSSProperties & Readonly<Record<`--${string}`, string>>;

interface HeadingProps {
  readonly column: ListColumn;
  readonly sorts: readonly string[];
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

/** Shows what a column means; pressed, it sorts. */
function Heading({ column, sorts, sort, onSort }: HeadingProps) {
  const { header, kind, meaning, isEstimate, field } = column;
  const text = `${header}${isEstimate ? ' ≈' : ''}`;
  const explained = meaning ? `${meaning}${isEstimate ? ' Within 1 %.' : ''}` : undefined;
  if (onSort && sorts.includes(field)) {
    const isSorted = sort?.field === field;
    return (
      <button
        type="button"
        className="sort"
        title={explained}
        onClick={() =>
          onSort({ field, order: isSorted ? (sort.order === 'desc' ? 'asc' : 'desc') : isText(kind) ? 'asc' : 'desc' })
        }
      >
        {text}
        <span aria-hidden="true">{isSorted ? (sort.order === 'asc' ? ' ↑' : ' ↓') : ''}</span>
      </button>
    );
  }
  return explained ? <Tooltip text={explained}>{text}</Tooltip> : text;
}

const CHANGE = 'change_percent';

/** The count that the api sorts a list by: its first one. */
const countOf = ([row]: readonly AnyRow[]): string =>
  Object.keys(row?.['previous'] ?? {}).find((field) => fieldNamed(field).kind === 'count') ?? '';

/** Tells how the count that a list is about changed since the earlier range. */
function changeColumn({ rows, sort, onSort }: Pick<ListTableProps, 'rows' | 'sort' | 'onSort'>): TableColumn<AnyRow> {
  const counted = countOf(rows);
  const { header } = fieldNamed(counted);
  const meaning = `Of “${header}”, since the earlier range.`;
  const column = { field: CHANGE, header: 'Change', kind: 'percent' as const, meaning };
  return {
    header: 'Change',
    heading: <Heading column={column} sorts={onSort ? [CHANGE] : []} sort={sort} onSort={onSort} />,
    order: sort?.field === CHANGE ? (sort.order === 'asc' ? 'ascending' : 'descending') : undefined,
    isNumber: true,
    cell: (row) => <FigureChange row={row} field={counted} />,
  };
}

interface ComparedRow {
  readonly previous?: AnyRow;
  readonly change_percent?: Readonly<Record<string, number | null>>;
}

/** Shows how a figure of a row changed; nothing where that is not known. */
export function FigureChange({ row, field }: { readonly row: AnyRow; readonly field: string }) {
  const { previous, change_percent: changes }: ComparedRow = row;
  const { kind, isBad = false } = fieldNamed(field);
  const now = numberIn(row, field);
  const before = numberIn(previous ?? {}, field);
  const change = changes?.[field];
  const text = formatChange({ kind, now: row[field], before: previous?.[field], change });
  if (text === '') return null;
  return <span className={`change ${now === before ? '' : now > before === isBad ? 'worse' : 'better'}`}>{text}</span>;
}

/** In the place of a list that is empty. */
export const NoRows = ({ isEnd = false, notes }: { readonly isEnd?: boolean; readonly notes: readonly string[] }) => (
  <div className="no-rows">
    <p>{isEnd ? 'The list ends before this page.' : 'Nothing in this range.'}</p>
    {notes
      .filter((note) => note.includes('filter') || note.startsWith('Nothing'))
      .map((note) => (
        <p key={note} className="soft">
          {note}
        </p>
      ))}
  </div>
);
