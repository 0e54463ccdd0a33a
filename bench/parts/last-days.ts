import { DAYS } from '../fill';

const DAY_MS = 86_400_000;

/** The range that is asked for: the days of the traffic up to today. */
export const lastDays = () => ({
  startDate: new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10),
  endDate: new Date().toISOString().slice(0, 10),
});
