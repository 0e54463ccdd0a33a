import type { ReactNode } from 'react';
import { useLoaded } from './use-loaded';

interface PopoverProps {
  /** What the button says. */
  readonly shown: ReactNode;
  /** What the content is, for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}

const load = () => import('@radix-ui/react-popover');

/** A button that opens controls beside it, such as a calendar; their frame is loaded when it is first opened. */
export function Popover({ shown, label, children }: PopoverProps) {
  const [parts, open] = useLoaded(load);
  if (!parts)
    return (
      <button type="button" className="button" aria-haspopup="dialog" aria-expanded={false} onClick={open}>
        {shown}
      </button>
    );
  const { Root, Trigger, Content } = parts;
  return (
    <Root defaultOpen>
      <Trigger className="button">{shown}</Trigger>
      <Content className="popover" align="start" sideOffset={4} collisionPadding={8} aria-label={label}>
        {children}
      </Content>
    </Root>
  );
}
