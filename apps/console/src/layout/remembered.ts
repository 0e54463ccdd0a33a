const PREFIX = 'ledgerline';
const PERSON_KEY = `${PREFIX}.person`;

/** Returns whose choices are remembered in this browser from now on; before it is known those of the last person. */
export const rememberPerson = (id: string): void => write(PERSON_KEY, id);

/** Returns what a person chose, in this browser; null for nothing. */
export const rememberedOfPerson = (name: string): string | null => read(keyOf(name));

export const rememberOfPerson = (name: string, text: string): void => write(keyOf(name), text);

const keyOf = (name: string): string => `${PREFIX}.${name}.${read(PERSON_KEY) ?? ''}`;

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is blocked
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // the address of the page still has it
  }
}

export const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

const KEY = 'ledgerline.theme';

/** As chosen in this browser; `system` follows its settings. */
export function storedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system'; // storage is blocked
  }
}

/** Shows a theme from now on, and at the next visit where storage is allowed. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // it is shown until the page is left
  }
}

/** The style sheet reads the attribute. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
