/** Days on which the clocks of a zone change in another way than by an hour on the hour. */
export const CLOCK_CHANGES: readonly (readonly [zone: string, day: string])[] = [
  // at 03:45 and 02:45
  ['Pacific/Chatham', '2026-04-05'],
  ['Pacific/Chatham', '2026-09-27'],
  // by 30 minutes
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Pacific/Norfolk', '2015-10-04'],
  ['Asia/Pyongyang', '2015-08-15'],
  ['Asia/Pyongyang', '2018-05-05'],
  ['America/Caracas', '2007-12-09'],
  ['America/Caracas', '2016-05-01'],
  ['Asia/Colombo', '1996-10-26'],
  ['Asia/Colombo', '2006-04-15'],
  ['Pacific/Rarotonga', '1991-03-02'],
  ['Asia/Thimphu', '1987-10-01'],
  ['Asia/Kathmandu', '1986-01-01'],
  // at 02:30 and 03:30
  ['Asia/Bishkek', '2004-10-31'],
  ['Asia/Hong_Kong', '1979-10-21'],
  // at 00:01
  ['America/St_Johns', '2010-11-07'],
  ['America/St_Johns', '2011-03-13'],
  ['America/Goose_Bay', '2010-11-07'],
  ['America/Moncton', '2006-10-29'],
  ['Antarctica/Casey', '2020-10-04'],
  ['Asia/Gaza', '2010-03-27'],
  ['Asia/Hebron', '2011-04-01'],
  // at midnight
  ['Asia/Tehran', '2021-03-22'],
  ['Asia/Tehran', '2021-09-22'],
  ['Africa/Cairo', '2014-09-25'],
  ['Africa/Monrovia', '1972-01-07'],
  // by two hours and more
  ['Antarctica/Troll', '2026-03-29'],
  ['Antarctica/Troll', '2026-10-25'],
  ['America/St_Johns', '1988-10-30'],
  ['Asia/Chita', '2014-10-26'],
  ['Antarctica/Casey', '2023-03-09'],
  ['Antarctica/Vostok', '2023-12-18'],
  // over the date line
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Kiritimati', '1994-12-31'],
];
