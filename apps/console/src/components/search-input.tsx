import { useEffect, useRef, useState } from 'react';
import { Input } from './input';

interface SearchInputProps {
  readonly label: string;
  readonly hint?: string;
  /** As the address has it. */
  readonly value: string;
  /** Once typing has paused. */
  readonly onSearch: (text: string) => void;
}

const PAUSE_MS = 250;

/** A text that the api searches for, not at every key. */
export function SearchInput({ value, onSearch, ...rest }: SearchInputProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(next.trim()), PAUSE_MS);
  };
  return <Input {...rest} type="search" value={text} onChange={({ target }) => change(target.value)} />;
}
