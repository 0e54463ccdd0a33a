import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useCreateLinks } from '../../api/links';
import { Button } from '../../components/button';
import { ErrorState } from '../../components/error-state';
import { Form } from '../../components/form';
import { PageHeader } from '../../components/page-header';
import { Textarea } from '../../components/textarea';
import { MAX_LINES, readPasted, type PastedLine } from './pasted-lines';
import { PasteResults } from './paste-results';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/paste');

/** Many links from lines of text. */
export function PasteLinksPage() {
  const { organizationId } = route.useParams();
  const createLinks = useCreateLinks(organizationId);
  const [text, setText] = useState('');
  const [sent, setSent] = useState<readonly PastedLine[]>([]);
  const { lines, problem } = readPasted(text);
  const tooMany =
    lines.length > MAX_LINES ? `At most ${MAX_LINES} lines at once; these are ${lines.length}.` : undefined;
  const submit = () => {
    setSent(lines);
    createLinks.mutate(lines.map(({ link }) => link));
  };
  return (
    <div className="page">
      <PageHeader
        title="Paste many links"
        description="One address in each line; each is created or refused by itself"
      />
      <Form onSubmit={submit}>
        <Textarea
          label="Addresses"
          rows={8}
          spellCheck={false}
          wrap="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder={'https://example.com/spring\nhttps://example.com/summer summer-sale'}
          hint="A short name may follow its address after a space or tab; without one it is random. Or a table with the names of its columns first, as in “short,long,title”."
          error={problem ?? tooMany}
        />
        <div className="form-actions">
          <Button
            type="submit"
            variant="primary"
            isBusy={createLinks.isPending}
            disabled={lines.length === 0 || (problem ?? tooMany) !== undefined}
          >
            {lines.length === 1 ? 'Create 1 link' : `Create ${lines.length} links`}
          </Button>
        </div>
      </Form>
      {createLinks.error && (
        <ErrorState error={createLinks.error} onRetry={() => createLinks.mutate(createLinks.variables)} />
      )}
      {createLinks.data && <PasteResults lines={sent} outcomes={createLinks.data} onMend={setText} />}
    </div>
  );
}
