import { readCustomEvent } from './custom-event.payload';
import { readOutgoingLink } from './outgoing-link.payload';
import { readPageLeave } from './page-leave.payload';
import { readPageView } from './page-view.payload';
import type { Payload } from './payload';

/** What browsers send to `/batch` and `/`: a page view, a leave, an outgoing link, or any other name: a custom event. */
export function readBrowserEvent(item: unknown): Payload {
  const { type, name } = item !== null && typeof item === 'object' ? (item as { type?: unknown; name?: unknown }) : {};
  if (type === 'outgoing_link') return readOutgoingLink(item);
  if (name === 'screen_view') return readPageView(item);
  if (name === 'page_exit') return readPageLeave(item);
  return readCustomEvent(item);
}
