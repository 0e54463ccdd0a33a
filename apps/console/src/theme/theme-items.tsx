import { useState } from 'react';
import { useMenuParts } from '../components/menu';
import { chooseTheme, storedTheme, THEMES, type Theme } from './theme';

const TEXTS: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };

/** The choice of a theme, as a part of a menu. */
export function ThemeItems() {
  const { ItemIndicator, Label, RadioGroup, RadioItem, Separator } = useMenuParts();
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
      <Separator className="menu-line" />
    </RadioGroup>
  );
}
