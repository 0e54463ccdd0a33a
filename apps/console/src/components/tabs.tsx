import { Content, List, Root, Trigger } from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';

interface TabsProps<Name extends string> {
  /** Tells screen readers what the tabs are of. */
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, text: string])[];
  /** The shown one, which the address of the page keeps. */
  readonly value: Name;
  readonly onChange: (name: Name) => void;
  readonly children: ReactNode;
}

/** One content of several, chosen by tabs above it. */
export const Tabs = <Name extends string>({ label, tabs, value, onChange, children }: TabsProps<Name>) => (
  <Root
    value={value}
    onValueChange={(chosen) => {
      const tab = tabs.find(([name]) => name === chosen);
      if (tab) onChange(tab[0]);
    }}
  >
    <List className="tabs" aria-label={label}>
      {tabs.map(([name, text]) => (
        <Trigger key={name} className="tab" value={name}>
          {text}
        </Trigger>
      ))}
    </List>
    <Content value={value}>{children}</Content>
  </Root>
);
