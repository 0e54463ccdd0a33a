import { Content, Provider, Root, Trigger } from '@radix-ui/react-tooltip';
import type { ReactNode } from 'react';

interface TooltipProps {
  /** A sentence or two; nothing that has to be pressed. */
  readonly text: string;
  /** What it explains. */
  readonly children: ReactNode;
}

/** Explains a word when it is pointed at or has the focus. */
export const Tooltip = ({ text, children }: TooltipProps) => (
  <Provider delayDuration={200}>
    <Root>
      <Trigger className="explained" type="button">
        {children}
      </Trigger>
      <Content className="tooltip" sideOffset={4} collisionPadding={8}>
        {text}
      </Content>
    </Root>
  </Provider>
);
