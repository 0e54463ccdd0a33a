import { Link } from '@tanstack/react-router';
import { EmptyState } from './empty-state';
import { PageHeader } from './page-header';

/** For addresses without a page, and for what the person may not see. */
export const NotFound = () => (
  <div className="page">
    <PageHeader title="Not found" />
    <EmptyState title="There is no such page">
      <p>
        It may have been deleted, or belong to an organization that you are not a member of.{' '}
        <Link to="/">Go to your websites</Link>
      </p>
    </EmptyState>
  </div>
);
