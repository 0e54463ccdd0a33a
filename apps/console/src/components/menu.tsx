import type * as Radix from '@radix-ui/react-dropdown-menu';
import { createContext, useContext, type ReactNode } from 'react';
import { useLoaded } from './use-loaded';

interface MenuProps {
  /** What the button says to screen readers, before what it shows. */
  readonly label: string;
  readonly shown: ReactNode;
  readonly children: ReactNode;
}

const load = () => import('@radix-ui/react-dropdown-menu');
const Parts = createContext<typeof Radix | undefined>(undefined);

/**
 * A button that opens a menu of `MenuItem`s, whose code is loaded when it is first opened. Not modal: locking the page
 * inserts style elements, which our policy forbids.
 */
export function Menu({ label, shown, children }: MenuProps) {
  const [parts, open] = useLoaded(load);
  const face = (
    <>
      <span className="visually-hidden">{label}: </span>
      <span className="menu-text">{shown}</span>
      <span aria-hidden="true">▾</span>
    </>
  );
  if (!parts)
    return (
      <button type="button" className="button menu-button" aria-haspopup="menu" aria-expanded={false} onClick={open}>
        {face}
      </button>
    );
  const { Root, Trigger, Content } = parts;
  return (
    <Parts value={parts}>
      <Root modal={false} defaultOpen>
        <Trigger className="button menu-button">{face}</Trigger>
        <Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
          {children}
        </Content>
      </Root>
    </Parts>
  );
}

/** What a menu consists of. @throws Error outside of an opened one */
export function useMenuParts(): typeof Radix {
  const parts = useContext(Parts);
  if (!parts) throw new Error('Items are shown in a Menu only.');
  return parts;
}

export function MenuItem({ onSelect, children }: { readonly onSelect: () => void; readonly children: ReactNode }) {
  const { Item } = useMenuParts();
  return (
    <Item className="menu-item" onSelect={onSelect}>
      {children}
    </Item>
  );
}
