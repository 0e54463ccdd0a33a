import { Link } from '@tanstack/react-router';
import { reportAt } from '../report/reports';
import { sharedSearch, type useView } from '../view/use-view';

interface BackLinkProps {
  readonly view: ReturnType<typeof useView>;
  readonly report: 'sessions' | 'visitors';
}

/** From one thing to the list of all of them, in the same range. */
export const BackLink = ({ view: { organizationId, websiteId, search }, report }: BackLinkProps) => (
  <Link
    to="/organizations/$organizationId/websites/$websiteId/$report"
    params={{ organizationId, websiteId, report }}
    search={sharedSearch(search)}
  >
    All {reportAt(report)?.title.toLowerCase()}
  </Link>
);
