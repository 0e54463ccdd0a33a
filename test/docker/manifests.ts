import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../docs/documents';

export const FOLDER = join(root, 'docker', 'kubernetes');

/** An object of docker/kubernetes, with the fields that are read here. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
    readonly selector?: Labels | { readonly matchLabels: Labels };
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly replicas?: number;
  };
}

type Labels = Readonly<Record<string, string>>;

export interface Pod {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly securityContext?: object;
  readonly containers: readonly ContainerSpec[];
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext?: object;
  readonly resources?: { readonly requests: object; readonly limits: { readonly memory: string } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

/** Every object of the folder and of those in it, with its file. */
export const manifests = (): (readonly [file: string, manifest: Manifest])[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml') && basename(file) !== 'kustomization.yaml')
    .flatMap((file) => manifestsIn(readFileSync(join(FOLDER, file), 'utf8')).map((each) => [file, each] as const));
