import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { Button } from './button';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page before in the list is also the page before in the history of the browser. */
    readonly isPaged?: boolean;
  }
}

interface CursorPagesProps {
  /** The cursor of the shown page; undefined for the first one. */
  readonly cursor: string | undefined;
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

/**
 * The buttons below a list that has only a way forward: `cursor` of the address names the page, and the way back is the
 * history of the browser.
 */
export function CursorPages({ cursor, nextCursor }: CursorPagesProps) {
  const navigate = useNavigate();
  const router = useRouter();
  const isPaged = useLocation({ select: ({ state }) => state.isPaged === true });
  const go = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, cursor: next }),
      state: { isPaged: next !== undefined },
    });
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav className="pages" aria-label="Pages of the list">
      <Button disabled={cursor === undefined} onClick={() => go(undefined)}>
        First page
      </Button>
      <Button disabled={cursor === undefined || !isPaged} onClick={() => router.history.back()}>
        Previous
      </Button>
      <Button disabled={nextCursor === null} onClick={() => nextCursor !== null && go(nextCursor)}>
        Next
      </Button>
    </nav>
  );
}
