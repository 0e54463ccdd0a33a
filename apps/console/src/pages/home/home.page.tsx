import { EmptyState } from '../../components/empty-state';
import { PageHeader } from '../../components/page-header';

/** Of a person who is a member of no organization. */
export const HomePage = () => (
  <div className="page">
    <PageHeader title="Welcome" />
    <EmptyState title="You belong to no organization yet">
      <p>Ask a colleague to invite you, or create an organization of your own.</p>
    </EmptyState>
  </div>
);
