import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiKeysQuery } from '../../api/api-keys';
import { websitesQuery } from '../../api/websites';
import { EmptyState } from '../../components/empty-state';
import { PageHeader } from '../../components/page-header';
import { Table } from '../../components/table';
import { apiKeyColumns } from './api-key-columns';
import { KeyDialog, type KeyQuestion } from './key-dialog';

const route = getRouteApi('/signed-in/organizations/$organizationId/api-keys');

/** The API keys of an organization, and what can be done with each. */
export function ApiKeysPage() {
  const { organizationId } = route.useParams();
  const { data: keys } = useSuspenseQuery(apiKeysQuery(organizationId));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const [question, setQuestion] = useState<KeyQuestion>();
  return (
    <div className="page">
      <PageHeader
        title="API keys"
        description="With a key, a program uses the api without a person who is signed in"
        actions={
          <Link className="button primary" to="/organizations/$organizationId/api-keys/new" params={{ organizationId }}>
            New key
          </Link>
        }
      />
      {keys.length > 0 ? (
        <Table caption="API keys" columns={apiKeyColumns(websites, setQuestion)} rows={keys} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No API keys yet">
          <p>A server that sends events or asks for statistics needs a key. Pages with the script need none.</p>
        </EmptyState>
      )}
      {question && (
        <KeyDialog
          key={`${question.kind} ${question.apiKey.id}`}
          {...question}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}
