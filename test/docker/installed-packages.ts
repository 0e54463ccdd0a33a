import { readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../docs/documents';
import { copyTree } from './copy-tree';

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/**
 * The packages of this checkout that `npm ci` with these options would install, in the node_modules of a folder. As links,
 * because an installation takes half a minute; the long version of the test runs npm.
 */
export function installFromCheckout(command: string, folder: string): void {
  if (!command.includes('--omit=dev')) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const isOmitted = ({ dev, optional, devOptional }: LockedPackage) =>
    dev || (command.includes('--omit=optional') && (optional || devOptional));
  for (const [path, each] of Object.entries(packages))
    if (path !== '' && !isOmitted(each))
      copyTree(join(root, path), join(folder, path), { keeps: isNoNestedPackage, links: true });
}

/** Nested packages are in the lock file themselves. */
const isNoNestedPackage = (path: string): boolean => basename(path) !== 'node_modules';
