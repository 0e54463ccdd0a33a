import type { IconNode } from 'lucide';
import { createElement } from 'react';

/** A picture beside a word that says the same, in the colour of the word. */
export const Icon = ({ of }: { readonly of: IconNode }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    {of.map(([tag, attributes], at) => createElement(tag, { key: at, ...attributes }))}
  </svg>
);
