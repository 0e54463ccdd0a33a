import { Content, Root, Trigger } from '@radix-ui/react-popover';
import type { ReactNode } from 'react';

interface PopoverProps {
  /** What the button says. */
  readonly shown: ReactNode;
  /** What the content is, for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button that opens controls beside it, such as a calendar. */
export const Popover = ({ shown, label, children }: PopoverProps) => (
  <Root>
    <Trigger className="button">{shown}</Trigger>
    <Content className="popover" align="start" sideOffset={4} collisionPadding={8} aria-label={label}>
      {children}
    </Content>
  </Root>
);
