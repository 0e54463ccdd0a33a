import { useState, type ReactNode } from 'react';
import { useLoaded } from './use-loaded';

interface TooltipProps {
  /** A sentence or two; nothing that has to be pressed. */
  readonly text: string;
  /** What it explains. */
  readonly children: ReactNode;
}

const load = () => import('@radix-ui/react-tooltip');

/** Explains a word when it is pointed at or has the focus, with code that is loaded then. */
export function Tooltip({ text, children }: TooltipProps) {
  const [parts, start] = useLoaded(load);
  const [wantedBy, setWantedBy] = useState<'focus' | 'pointer'>();
  const explain = (by: typeof wantedBy) => {
    setWantedBy(by);
    start();
  };
  const leave = () => setWantedBy(undefined);
  if (!parts)
    return (
      <button
        type="button"
        className="explained"
        onFocus={() => explain('focus')}
        onBlur={leave}
        onPointerEnter={() => explain('pointer')}
        onPointerLeave={leave}
      >
        {children}
      </button>
    );
  const { Provider, Root, Trigger, Content } = parts;
  return (
    <Provider delayDuration={200}>
      <Root defaultOpen={wantedBy !== undefined}>
        <Trigger className="explained" type="button" autoFocus={wantedBy === 'focus'}>
          {children}
        </Trigger>
        <Content className="tooltip" sideOffset={4} collisionPadding={8}>
          {text}
        </Content>
      </Root>
    </Provider>
  );
}
