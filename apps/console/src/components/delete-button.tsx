import type { ComponentProps, ReactNode } from 'react';
import { useDeleteRecord } from '../api/record-changes';
import { ConfirmedButton } from './confirm-dialog';

type Words = Pick<ComponentProps<typeof ConfirmedButton>, 'text' | 'title' | 'action' | 'variant' | 'aria-label'>;

interface DeleteButtonProps extends Partial<Words> {
  readonly path: Parameters<typeof useDeleteRecord>[0];
  readonly record: { readonly id: string; readonly name?: string | null };
  /** Says what happens then, and whether it can be undone. */
  readonly children: ReactNode;
  /** Leaves its own page, where it has one. */
  readonly onDeleted?: () => void;
}

/** A button that deletes a record. */
export function DeleteButton({ path, record: { id, name }, onDeleted, ...words }: DeleteButtonProps) {
  const deletion = useDeleteRecord(path);
  // a page is gone before the callback of a mutation would be called; what fails is said by the dialog
  const remove = () => void deletion.mutateAsync(id).then(onDeleted, () => undefined);
  return (
    <ConfirmedButton
      text="Delete"
      title={`Delete ${name}?`}
      action="Delete"
      change={deletion}
      onConfirm={remove}
      {...words}
    />
  );
}
