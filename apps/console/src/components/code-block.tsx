import { CopyButton } from './copy-button';

interface CodeBlockProps {
  readonly text: string;
  /** What is copied: `the script`. */
  readonly label: string;
}

/** Text to be copied elsewhere, which wraps instead of being cut off. */
export const CodeBlock = ({ text, label }: CodeBlockProps) => (
  <div className="code-block">
    <pre>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={label} />
  </div>
);
