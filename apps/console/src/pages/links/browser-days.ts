const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();

/** Links have no time zone of their own: their days are those of the person. */
export const BROWSER_DAYS = { target: { timezone: zone }, zone, zoneText: `${zone} (of this browser)` };
