import { sendFirstRequests } from './pages/website/dashboard/first-requests';
import { applyTheme, storedTheme } from './theme/theme';

/** The script in the page, which runs before anything is shown: the page never flashes in the other theme. */
applyTheme(storedTheme());
sendFirstRequests(location);
