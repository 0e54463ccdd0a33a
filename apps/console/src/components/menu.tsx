import { Content, Item, Root, Trigger } from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';

interface MenuProps {
  /** What the button says to screen readers, before what it shows. */
  readonly label: string;
  readonly shown: ReactNode;
  readonly children: ReactNode;
}

/** A button that opens a menu of `MenuItem`s. Not modal: locking the page inserts style elements, which our policy forbids. */
export const Menu = ({ label, shown, children }: MenuProps) => (
  <Root modal={false}>
    <Trigger className="button menu-button">
      <span className="visually-hidden">{label}: </span>
      <span className="menu-text">{shown}</span>
      <span aria-hidden="true">▾</span>
    </Trigger>
    <Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
      {children}
    </Content>
  </Root>
);

export const MenuItem = ({ onSelect, children }: { readonly onSelect: () => void; readonly children: ReactNode }) => (
  <Item className="menu-item" onSelect={onSelect}>
    {children}
  </Item>
);
