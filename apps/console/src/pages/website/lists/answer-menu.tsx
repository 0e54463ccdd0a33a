import type { QueryTypeName } from '@ledgerline/client';
import { useState } from 'react';
import { messageOf } from '../../../api/failure';
import { curlOf, websiteCsv } from '../../../api/website-csv';
import type { QueryScope } from '../../../api/website-query';
import { copyText, saveFile } from '../../../components/browser-files';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { Menu, MenuItem } from '../../../components/menu';
import { notify } from '../../../components/toasts';

interface AnswerMenuProps {
  /** What is shown, for screen readers. */
  readonly title: string;
  readonly scope: QueryScope;
  readonly parameter: { readonly name: QueryTypeName };
}

/** Takes the figures elsewhere: as CSV, or as the request that asks for them. */
export function AnswerMenu({ title, scope, parameter }: AnswerMenuProps) {
  const [uncopied, setUncopied] = useState<string>();
  const download = () =>
    websiteCsv(scope, parameter).then(
      ({ text, lacks }) => {
        saveFile(`${parameter.name}.csv`, text, 'text/csv');
        if (lacks) notify(lacks);
      },
      (error: unknown) => notify(messageOf(error as Error)), // the client throws nothing else
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
