// The Dockerfile and the compose file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';
import { parseYaml, read, unknownFlags } from './read.mjs';

export function checkContainers({ check }) {
  checkDockerfile(check);
  const text = read('compose/compose.yml');
  const compose = parseYaml(text, { merge: true });
  const settings = new Set([...read('compose/example.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name));
  for (const [, name] of text.matchAll(/\$\{([A-Z_]+)/g))
    check(settings.has(name), `compose: ${name} is in example.env`);
  for (const [name, service] of Object.entries(compose.services)) {
    check(
      typeof service.image === 'string' && /:[\w.-]+$/.test(service.image),
      `compose: ${name} has an image with a version`,
    );
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const needed = compose.services[other];
      check(needed !== undefined, `compose: ${name} waits for ${other}, which is there`);
      const checked = needed?.healthcheck !== undefined || needed?.build !== undefined;
      check(condition !== 'service_healthy' || checked, `compose: ${other} can say that it is healthy`);
    }
    for (const volume of service.volumes ?? []) {
      check(volume.split(':')[0] in compose.volumes, `compose: volume ${volume} of ${name} is declared`);
    }
    for (const port of service.ports ?? [])
      check(port.startsWith('127.0.0.1:'), `compose: ${name} is open to this machine only`);
    if (service.build === undefined) continue;
    check(existsSync(join(root, service.build.dockerfile)), `compose: the Dockerfile of ${name} is there`);
    check(
      service.read_only === true && service.cap_drop?.includes('ALL'),
      `compose: ${name} has no rights that it does not need`,
    );
    const [command = 'console', ...rest] = service.command ?? [];
    const unknown = unknownFlags(command, rest.join(' '));
    check(unknown.length === 0, `compose: the flags of ${name} exist`, unknown.join(' '));
  }
  check(
    compose.services.redis.command.join(' ').includes('--maxmemory-policy noeviction'),
    'compose: Redis forgets no counters',
  );
}

function checkDockerfile(check) {
  const lines = read('docker/Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const of = (word) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1).trim());
  const stages = of('FROM');
  check(
    stages.length === 2 && stages[0].endsWith(' AS build') && stages[1].endsWith('-slim'),
    'Dockerfile: builds in one stage, runs in a slim one',
  );
  check(of('USER').at(-1) === '10001:10001', 'Dockerfile: does not run as root');
  check(
    of('HEALTHCHECK').some((line) => line.includes('CMD')),
    'Dockerfile: says whether it is healthy',
  );
  check(/:8180\/healthz/.test(of('ENV').join(' ')), 'Dockerfile: asks /healthz');
  check(
    of('COPY').every((line) => !/\.env|\.pem|\.key/.test(line)),
    'Dockerfile: copies no secrets',
  );
  const [command, ...rest] = JSON.parse(of('CMD').at(-1) ?? '[]');
  const unknown = unknownFlags(command, rest.join(' '));
  check(
    command === 'console' && unknown.length === 0,
    'Dockerfile: starts a console with flags that exist',
    unknown.join(' '),
  );
  const ignored = read('docker/Dockerfile.dockerignore');
  for (const what of ['.git', '**/node_modules', '**/*.env'])
    check(ignored.split('\n').includes(what), `Dockerfile: leaves ${what} out`);
}
