import { notFound } from '@tanstack/react-router';

/** Waits for records of which the page shows one. @throws what the router shows as not found */
export async function loadOne(records: Promise<readonly { readonly id: string }[]>, id: string): Promise<void> {
  if (!(await records).some((record) => record.id === id)) throw notFound();
}
