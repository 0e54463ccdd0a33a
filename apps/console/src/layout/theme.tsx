import { useState } from 'react';
import { Menu, useMenuParts } from '../components/overlays';
import { THEMES, type Theme, chooseTheme, storedTheme } from './remembered';

const TEXTS: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };

/** The choice of a theme, as a part of a menu. */
export function ThemeItems() {
  const { ItemIndicator, Label, RadioGroup, RadioItem } = useMenuParts();
  const [theme, setTheme] = useState(storedTheme);
  const choose = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <RadioGroup value={theme}>
      <Label className="menu-note">Theme</Label>
      {THEMES.map((each) => (
        <RadioItem key={each} value={each} className="menu-item" onSelect={() => choose(each)}>
          {TEXTS[each]}
          <ItemIndicator aria-hidden="true">✓</ItemIndicator>
        </RadioItem>
      ))}
    </RadioGroup>
  );
}

/** The menu of themes where nobody is signed in. */
export const ThemeMenu = () => (
  <Menu shown="Theme">
    <ThemeItems />
  </Menu>
);
