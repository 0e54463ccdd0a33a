import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { documentAt, root } from '../docs/documents';
import { readDockerfile, type Step } from './dockerfile';
import { FOLDER, manifests, manifestsIn, type ContainerSpec, type Manifest, type Pod } from './manifests';
import { kubernetesValidator } from './schemas';

const all = manifests().map(([, manifest]) => manifest);
const pods = all.flatMap(({ kind, metadata, spec }) =>
  spec?.template ? [[`${kind} ${metadata.name}`, spec.template.spec] as const] : [],
);
const servers = pods.filter(([name]) => !name.startsWith('Job'));

describe('docker/kubernetes', () => {
  const validate = kubernetesValidator();

  it.each(manifests().map(([file, each]) => [file, each.kind, each] as const))('%s: the %s is valid', (_, __, each) => {
    expect(validate(each)).toEqual([]);
  });

  it('would not be valid with a field that is misspelt', () => {
    const text = readFileSync(join(FOLDER, 'api.yaml'), 'utf8').replace('readOnlyRootFilesystem', 'readonlyRootFs');
    expect(manifestsIn(text).flatMap(validate)).not.toEqual([]);
  });

  it('has the processes, their budgets, the migrations and what scales the trackers', () => {
    expect(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'ConfigMap ledgerline',
      'Deployment ledgerline-api',
      'HorizontalPodAutoscaler ledgerline-tracker',
      'Job ledgerline-migrate',
      'Job ledgerline-prepare',
      'Namespace ledgerline',
      'PodDisruptionBudget ledgerline-api',
      'PodDisruptionBudget ledgerline-projector',
      'PodDisruptionBudget ledgerline-tracker',
      'Secret ledgerline',
      'Service ledgerline-api',
      'Service ledgerline-tracker',
      'StatefulSet ledgerline-projector',
      'StatefulSet ledgerline-tracker',
    ]);
  });

  it('sets variables of docs/configuration.md', () => {
    const documented = [...documentAt('docs/configuration.md').text.matchAll(/^- `([A-Z_]+)`/gm)].map(
      ([, name]) => name!,
    );
    const set = all.flatMap(({ data, stringData }) => Object.keys({ ...data, ...stringData }));
    expect(set.filter((name) => !documented.includes(name))).toEqual([]);
  });

  it('holds no secret', () => {
    const secret = all.find(({ kind }) => kind === 'Secret')!;
    expect(new Set(Object.values(secret.stringData!))).toEqual(new Set(['']));
    expect(kustomization.resources).not.toContain('secret.example.yaml');
  });

  it('lets the labels of each pod be found by its selectors', () => {
    for (const { kind, metadata, spec } of all) {
      if (!spec?.selector) continue;
      const wanted = 'matchLabels' in spec.selector ? spec.selector.matchLabels : spec.selector;
      const found = all.filter(({ spec: other }) =>
        Object.entries(wanted).every(([label, value]) => other?.template?.metadata.labels[label] === value),
      );
      expect([kind, found.map((each) => each.metadata.name)]).toEqual([kind, [metadata.name]]);
    }
  });

  it('scales what exists, and states no number of its own for it', () => {
    const { scaleTargetRef } = all.find(({ kind }) => kind === 'HorizontalPodAutoscaler')!.spec!;
    const target = all.find(
      (each) => each.kind === scaleTargetRef!.kind && each.metadata.name === scaleTargetRef!.name,
    );
    expect(target!.spec!.replicas).toBeUndefined();
  });
});

describe.each(pods)('the pod of the %s', (_, pod) => {
  it('may do no more than it needs', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { securityContext, resources } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources).toMatchObject({ requests: { cpu: expect.anything() as string }, limits: {} });
    }
  });

  it('gets no variable from the names of services, which would be taken for a setting', () => {
    expect(pod.enableServiceLinks).toBe(false);
  });

  it('has an image that docker/Dockerfile builds', () => {
    const [{ name, image }] = pod.containers as [ContainerSpec];
    expect(image).toBe(`ledgerline-${name}:1.0.0`);
    expect(readDockerfile().map((stage) => stage.name)).toContain(name);
    expect(kustomization.images).toContainEqual(
      expect.objectContaining({ name: `ledgerline-${name}`, newTag: '1.0.0' }),
    );
  });
});

describe.each(servers)('the probes of the %s', (_, pod: Pod) => {
  it('ask the route and the port that the image checks itself', () => {
    const [{ name, ports, ...container }] = pod.containers as [ContainerSpec];
    const [port] = ports!;
    const steps = readDockerfile().find((stage) => stage.name === name)!.steps;
    expect(steps).toContainEqual({ keyword: 'EXPOSE', text: String(port!.containerPort) });
    const [check] = steps.filter(isHealthcheck);
    for (const probe of [container.startupProbe!, container.livenessProbe!, container.readinessProbe!]) {
      expect(probe.httpGet.port).toBe(port!.name);
      expect(check!.words.join(' ')).toContain(` || ${port!.containerPort}}${probe.httpGet.path}\``);
    }
  });
});

const isHealthcheck = (step: Step): step is Step & { keyword: 'HEALTHCHECK' } => step.keyword === 'HEALTHCHECK';

const kustomization = parse(readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8')) as {
  resources: string[];
  images: object[];
};

/** An upgrade is prepared before its other objects are there. */
const isPrepare = ({ metadata }: Manifest): boolean => metadata.name === 'ledgerline-prepare';
const inNamespace = all.filter((each) => each.kind !== 'Secret' && !isPrepare(each));

describe.each([
  ['docker/kubernetes', inNamespace],
  ['docker/kubernetes/prepare', all.filter(isPrepare)],
])('kubectl kustomize %s', (folder, objects) => {
  const { status, stdout, error } = spawnSync('kubectl', ['kustomize', join(root, folder)], { encoding: 'utf8' });
  if (error) {
    it.skip('SKIPPED: there is no kubectl', () => undefined);
    return;
  }

  it('puts every object into the namespace, with the images of the registry', () => {
    expect(status).toBe(0);
    const built = manifestsIn(stdout);
    expect(built.map(({ metadata }) => metadata.name).sort()).toEqual(
      objects.map(({ metadata }) => metadata.name).sort(),
    );
    expect(built.flatMap(kubernetesValidator())).toEqual([]);
    const elsewhere = built.filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'ledgerline');
    expect(elsewhere).toEqual([]);
    const images = built.flatMap(({ spec }) => spec?.template?.spec.containers.map(({ image }) => image) ?? []);
    expect(images.filter((image) => !image.startsWith('registry.example.com/ledgerline-'))).toEqual([]);
  });
});
