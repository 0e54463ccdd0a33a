/** The colours that a person prefers. */
export type Colours = 'light' | 'dark';

const EACH: readonly (readonly [width: number, colours: Colours])[] = [
  [360, 'dark'],
  [1_280, 'light'],
  [360, 'light'],
  [1_280, 'dark'],
];

/** The screens that pages are looked at on: two of them, and all with `BROWSER_SCREENS=4`. */
export const SCREENS = EACH.slice(0, Number(process.env['BROWSER_SCREENS'] ?? 2));
