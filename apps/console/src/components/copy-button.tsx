import { copyText } from './browser-files';
import { Button } from './button';
import { notify } from './toasts';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied: `the id of Shop`. */
  readonly label: string;
}

/** Puts a text on the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const copy = () =>
    copyText(text).then(
      () => notify(`Copied ${label}`),
      () => notify('The browser does not allow copying; select the text instead'),
    );
  return (
    <Button variant="quiet" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      Copy
    </Button>
  );
}
