import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { optionalText } from '../../search-params';
import { readListSearch, type ListSearch } from '../lists/list-search';
import { websiteRoute } from '../website.route';
import { reportAt } from './reports';

/** Which list of the report is shown, and which metric is drawn. */
interface ReportSearch extends ListSearch {
  readonly list?: string;
  readonly metric?: string;
}

/** Every report of a website: visitors, sessions, events and so on. */
export const reportRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: '$report',
  validateSearch: (search): ReportSearch => ({
    ...optionalText(search, 'list'),
    ...optionalText(search, 'metric'),
    ...readListSearch(search),
  }),
  beforeLoad: ({ params }) => {
    if (!reportAt(params.report)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./report.page'), 'ReportPage'),
});
