import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { replyWithErrors } from '../../src/http/error-replies.ts';
import { TestConsole } from '../support/test-console.ts';

test('a disk that is full is said to be the cause, and what was asked for is done once there is space', async () => {
  const console = await TestConsole.start();
  const app = Fastify();
  replyWithErrors(app);
  const save = () => saveGovernorSettings(console.context, DEFAULT_GOVERNOR_SETTINGS, 'test');
  app.put('/settings', save);
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const writing = vi.spyOn(console.storage, 'transaction').mockRejectedValue(full);
  const refused = await app.inject({ method: 'PUT', url: '/settings' });
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({
    error: { code: 'unavailable', message: expect.stringContaining('SQLITE_FULL'), retryAfterMs: 5_000 },
  });
  expect(console.context.governor.version).toBe(0);
  writing.mockRestore();
  expect((await app.inject({ method: 'PUT', url: '/settings' })).json()).toMatchObject({ version: 1 });
  await app.close();
  await console.stop();
});
