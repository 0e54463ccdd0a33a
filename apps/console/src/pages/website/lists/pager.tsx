import { Button } from '../../../components/button';
import type { useView } from '../view/use-view';
import { formatFigure } from '../format';

interface PagerProps {
  readonly page: number;
  /** Of a page. */
  readonly rows: number;
  /** Of all pages. */
  readonly total: number;
  readonly view: ReturnType<typeof useView>;
}

/** Which rows of a list are shown, and the way to the others; the address has the page. */
export function Pager({ page, rows, total, view }: PagerProps) {
  const pages = Math.max(Math.ceil(total / rows), 1);
  const first = Math.min((page - 1) * rows + 1, total);
  const last = Math.min(page * rows, total);
  const count = (value: number) => formatFigure('count', value);
  const open = (to: number) => view.change({ page: to > 1 ? to : undefined });
  return (
    <nav className="pager" aria-label="Pages of the list">
      <Button disabled={page <= 1} onClick={() => open(page - 1)}>
        Previous
      </Button>
      <span>{total === 0 ? 'No rows' : `${count(first)}–${count(last)} of ${count(total)}`}</span>
      <Button disabled={page >= pages} onClick={() => open(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
