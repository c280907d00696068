import type { FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ConsoleError } from '../actions/console-error.ts';
import { newerThanThis, protocolTooNew } from '../actions/protocol-version.ts';
import { fieldProblems } from '../validation/field-problems.ts';

/** Validates requests and answers with the schemas of the route table. Problems name the field, the value and the remedy. */
export function validateWithSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler<unknown>(({ schema }) => {
    if (!(schema instanceof z.ZodType)) throw new TypeError('Routes are described with zod schemas.');
    return (data: unknown) => {
      const result = schema.safeParse(data);
      if (result.success) return { value: result.data };
      const fields = fieldProblems(result.error, data);
      const newer = newerThanThis(data);
      if (newer !== null) return { error: protocolTooNew(newer, fields) };
      const [first] = fields;
      const message =
        first === undefined ? 'The request is not valid.' : `${first.field || 'The body'} ${first.problem}.`;
      return { error: new ConsoleError('validation-failed', message, { fields }) };
    };
  });
  app.setSerializerCompiler(serializerCompiler);
}
