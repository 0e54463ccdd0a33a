import { optionalText } from '../search-params';
import { readAddress, type ViewSearch } from '../website/view/view-search';

/** The rule that the form of a new alert begins with, as the bell that leads to it says. */
export interface AlertSearch extends Pick<ViewSearch, 'filters' | 'segment' | 'goal'> {
  readonly website?: string;
  readonly link?: string;
  readonly figure?: string;
}

export const readAlert = ({ filters, ...search }: Record<string, unknown>): AlertSearch => ({
  ...readAddress({ filters }),
  ...optionalText(search, 'website'),
  ...optionalText(search, 'link'),
  ...optionalText(search, 'figure'),
  ...optionalText(search, 'segment'),
  ...optionalText(search, 'goal'),
});
