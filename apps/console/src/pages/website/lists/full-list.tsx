import { useQuery } from '@tanstack/react-query';
import { websiteQuery, type QueryScope } from '../../../api/website-query';
import { Button } from '../../../components/button';
import { formatFigure } from '../format';
import { comparisonOf } from '../view/view-scope';
import type { useView } from '../view/use-view';
import { AnswerMenu } from './answer-menu';
import { Answered } from './answered';
import { PAGE_ROWS, type ListSearch } from './list-search';
import { ListTable, type Sort } from './list-table';
import type { ListDeclaration } from './declare-list';
import { Pager } from './pager';

interface FullListProps {
  readonly list: ListDeclaration;
  readonly view: ReturnType<typeof useView>;
  readonly search: ListSearch;
}

/** A list from its first row to its last one, in the order that the address says. */
export function FullList({ list, view, search }: FullListProps) {
  const { page = 1 } = search;
  const sort = sortOf(list, search);
  const ordered: QueryScope = {
    ...view.scope,
    ...(list.isCompared ? comparisonOf(view.search) : {}),
    ...(sort ? { sortBy: sort.field, sortOrder: sort.order } : {}),
  };
  const { minimum } = list;
  const minSamples = minimum && (search.few ? 1 : minimum.least);
  const parameter = { name: list.type, ...(minSamples ? { minSamples } : {}) };
  const query = useQuery(websiteQuery({ ...ordered, limit: PAGE_ROWS, page }, parameter));
  const total = query.data?.total ?? 0;
  const hidden = query.data?.meta.hidden[list.type] ?? 0;
  return (
    <section className="query-panel full" aria-label={list.title} tabIndex={-1}>
      <Answered query={query} label={list.title} lines={12}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            (hidden === 0 || page > 1) && <NoRows isEnd={page > 1} notes={meta.notes} />
          ) : (
            <ListTable
              list={list}
              rows={rows}
              view={view}
              timeZone={meta.timezone}
              sort={sort}
              onSort={({ field, order }) => view.change({ sort: field, order, page: undefined })}
            />
          )
        }
      </Answered>
      {minimum && (
        <Few
          minimum={minimum}
          hidden={hidden}
          isShown={search.few !== undefined}
          onShow={(few) => view.change({ few, page: undefined })}
        />
      )}
      <footer className="query-panel-foot">
        <Pager page={page} rows={PAGE_ROWS} total={total} view={view} />
        <AnswerMenu title={list.title} scope={ordered} parameter={parameter} />
      </footer>
    </section>
  );
}

interface FewProps {
  readonly minimum: NonNullable<ListDeclaration['minimum']>;
  /** How many rows are left out. */
  readonly hidden: number;
  readonly isShown: boolean;
  readonly onShow: (few: 'shown' | undefined) => void;
}

/** How many pages a list leaves out, and the way to see them. */
function Few({ minimum: { least, of }, hidden, isShown, onShow }: FewProps) {
  if (hidden === 0 && !isShown) return null;
  const few = `with fewer than ${least} ${of}`;
  const pages = hidden === 1 ? `1 page ${few} is` : `${formatFigure('count', hidden)} pages ${few} are`;
  return (
    <p className="few-rows">
      {isShown ? `Figures of pages ${few} say little.` : `${pages} not shown.`}{' '}
      <Button variant="quiet" onClick={() => onShow(isShown ? undefined : 'shown')}>
        {isShown ? 'Hide them' : 'Show them'}
      </Button>
    </p>
  );
}

/** What the address says, where the list can be sorted so. */
function sortOf({ sorts, isCompared }: ListDeclaration, { sort, order = 'desc' }: ListSearch): Sort | undefined {
  const isKnown = sort !== undefined && (sorts.includes(sort) || (isCompared && sort === 'change_percent'));
  return isKnown ? { field: sort, order } : undefined;
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
