import type { Arrival } from '@ledgerline/domain/sessions/add-hits';
import type { Calendar } from '@ledgerline/domain/sessions/calendar';
import type { UnitKey } from './session-rows';

/** What a batch brings for one unit: a visitor, or a session or an event of nobody. */
export interface Visit extends UnitKey {
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly arrivals: Arrival[];
}
