import { expect, test } from 'vitest';
import { ConsoleMetrics } from '../../src/http/metrics.ts';
import { buildServer } from '../../src/http/server.ts';
import { silentLogger, TestConsole } from '../support/test-console.ts';

test('a console that is stopping begins nothing new and says when to come back', async () => {
  const console = await TestConsole.start();
  const app = await buildServer(console.context, new ConsoleMetrics(), {
    version: '0',
    database: { kind: 'sqlite', place: 'weir.db' },
    metricsToken: 'x',
    publicUrl: () => '',
    webRoot: undefined,
    secureCookies: false,
    closing: () => true,
    tls: undefined,
    trustedProxies: [],
    logger: silentLogger,
  });
  const answer = await app.inject({ method: 'POST', url: '/api/v1/agent/claims', payload: { waitSeconds: 25 } });
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ error: { code: 'unavailable', retryAfterMs: 1_000 } });
  await app.close();
  await console.stop();
});
