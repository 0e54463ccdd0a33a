import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../journeys/product';

const DECLARATION = join('libs', 'contracts', 'src', 'read-models', 'links.js');
const DEVICES = "linkDimension('link_devices')";

/** Copies the built product into a folder, as a version in which one table means something else; answers its `dist`. */
export function otherBuild(folder: string): string {
  const dist = join(folder, 'dist');
  mkdirSync(folder);
  cpSync(join(root, 'dist'), dist, { recursive: true });
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  const declared = readFileSync(join(dist, DECLARATION), 'utf8');
  if (!declared.includes(DEVICES)) throw new Error(`${DECLARATION} declares no devices of links.`);
  writeFileSync(join(dist, DECLARATION), declared.replace(DEVICES, `(0, _readmodel.meaning)(${DEVICES}, 2)`));
  return dist;
}
