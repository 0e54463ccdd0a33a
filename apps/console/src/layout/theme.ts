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
