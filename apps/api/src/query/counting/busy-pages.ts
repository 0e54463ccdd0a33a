import { counted } from './counted';
import { COUNT, VISITORS } from './measures';

/** Of a busy page: then its rates mean something. */
export const LEAST_VIEWS = 5;

/** Pages with so many page views that their rates mean something. */
export const BUSY_PAGES = counted({
  of: 'views',
  by: { value: 'path' },
  measures: { page_views: COUNT, visitors: VISITORS },
  atLeast: { page_views: LEAST_VIEWS },
});
