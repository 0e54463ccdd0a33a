import type { UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext, useState, type ReactNode } from 'react';
import type { QueryTypeName } from '@ledgerline/client';
import { FailedParameter, messageOf } from '../../../api/failure';
import { curlOf, websiteCsv, type QueryScope } from '../../../api/figures';
import { Button, copyText, saveFile } from '../../../components/button';
import { Dialog, Menu, MenuItem } from '../../../components/overlays';
import { ErrorState, Skeleton } from '../../../components/states';
import { notify } from '../../../components/toasts';

interface AnsweredProps<Answer> {
  readonly query: UseQueryResult<Answer>;
  /** Tells screen readers what is loading. */
  readonly label: string;
  /** The height that it will have, in lines. */
  readonly lines: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** True if the page says itself that its request failed, so that its parts need not say it again. */
export const FailureSaid = createContext(false);

/**
 * A part of a page that waits and fails by itself; what it showed before stays, dimmed, until there is something new, and
 * as it is where that only could not be refreshed.
 */
export function Answered<Answer>({ query, label, lines, children }: AnsweredProps<Answer>) {
  const { data, error, isPlaceholderData, refetch } = query;
  const isSaid = useContext(FailureSaid) && !(error instanceof FailedParameter);
  if (error && data === undefined && isSaid) return <p className="no-rows">Not loaded.</p>;
  if (error && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={lines} label={label} />;
  return (
    <div className={isPlaceholderData ? 'answered outdated' : 'answered'} aria-busy={isPlaceholderData}>
      {children(data)}
    </div>
  );
}

interface AnswerMenuProps {
  /** Tells screen readers what is shown. */
  readonly title: string;
  readonly scope: QueryScope;
  readonly parameter: { readonly name: QueryTypeName };
}

/** Takes the figures elsewhere: as CSV, or as the request that asks for them. */
export function AnswerMenu({ title, scope, parameter }: AnswerMenuProps) {
  const [uncopied, setUncopied] = useState<string>();
  const download = () =>
    websiteCsv(scope, parameter).then(
      ({ name, text, lacks }) => {
        saveFile(name, text, 'text/csv');
        if (lacks) notify(lacks);
      },
      (error: unknown) => notify(messageOf(error)),
    );
  const copy = () => {
    const command = curlOf(scope, parameter);
    return copyText(command).then(
      () => notify('Copied the request; put an API key in the place of YOUR_API_KEY'),
      () => setUncopied(command),
    );
  };
  return (
    <>
      <Menu label={`Export ${title}`} shown="Export">
        <MenuItem onSelect={() => void download()}>Download CSV</MenuItem>
        <MenuItem onSelect={() => void copy()}>Copy as curl</MenuItem>
      </Menu>
      {uncopied !== undefined && (
        <Dialog title="The request, with curl" onClose={() => setUncopied(undefined)}>
          <p className="hint">
            The browser does not allow copying; select it. Put an API key in the place of YOUR_API_KEY.
          </p>
          <pre className="snippet" tabIndex={0} aria-label="The request">
            <code>{uncopied}</code>
          </pre>
          <Button onClick={() => setUncopied(undefined)}>Close</Button>
        </Dialog>
      )}
    </>
  );
}
