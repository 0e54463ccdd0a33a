/** Everything of a list. */
export interface List<Item> {
  readonly success: true;
  readonly data: readonly Item[];
  readonly total: number;
}

/** One page of a list; `total` counts all pages. */
export interface Page<Item> extends List<Item> {
  readonly page: number;
  readonly limit: number;
}

export const listOf = <Item>(data: readonly Item[]): List<Item> => ({ success: true, data, total: data.length });

export const pageOf = <Item>(
  data: readonly Item[],
  total: number,
  { page, limit }: { page: number; limit: number },
): Page<Item> => ({ success: true, data, total, page, limit });
