import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { replyWithErrors } from '../../src/http/error-replies.ts';
import { validateWithSchemas } from '../../src/http/validation.ts';

async function answering(answer: unknown): Promise<{ status: number; body: string }> {
  const app = Fastify();
  validateWithSchemas(app);
  replyWithErrors(app);
  const schema = { response: { 200: z.object({ name: z.string(), load: z.number().default(0) }) } };
  app.get('/', { schema }, (_request, reply) => reply.send(answer));
  const { statusCode, body } = await app.inject('/');
  await app.close();
  return { status: statusCode, body };
}

test('an answer has the fields of its schema, and no other leaves the console', async () => {
  const answer = { name: 'a', load: 2, credentialHash: 'secret' };
  expect(await answering(answer)).toEqual({ status: 200, body: '{"name":"a","load":2}' });
});

test('an answer that is not what its schema says is a failure of the console, which says nothing of it', async () => {
  const { status, body } = await answering({ name: 7, credentialHash: 'secret' });
  expect(status).toBe(500);
  expect(JSON.parse(body).error.code).toBe('internal');
  expect(body).not.toMatch(/name|secret/);
});
