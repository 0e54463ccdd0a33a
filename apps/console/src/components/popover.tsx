import { useRef, useState, type ReactNode } from 'react';
import { useLoaded } from './use-loaded';

interface PopoverProps {
  /** What the button says. */
  readonly shown: ReactNode;
  /** What the content is, for screen readers. */
  readonly label: string;
  /** Calls the function that it is given to close the popover, which gives the focus back to the button. */
  readonly children: (close: () => void) => ReactNode;
}

const load = () => import('@radix-ui/react-popover');

/** A button that opens controls beside it, such as a calendar; their frame is loaded when it is first opened. */
export function Popover({ shown, label, children }: PopoverProps) {
  const [parts, start] = useLoaded(load);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  const [isOpen, setOpen] = useState(true); // as it is when its code has come
  if (!parts)
    return (
      <button type="button" className="button" aria-haspopup="dialog" aria-expanded={false} onClick={start}>
        {shown}
      </button>
    );
  const { Root, Trigger, Content } = parts;
  return (
    <Root open={isOpen} onOpenChange={setOpen}>
      <Trigger ref={trigger} className="button">
        {shown}
      </Trigger>
      <Content className="popover" align="start" sideOffset={4} collisionPadding={8} aria-label={label}>
        {children(close)}
      </Content>
    </Root>
  );
}
