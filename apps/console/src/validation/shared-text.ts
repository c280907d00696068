import type { z } from 'zod';

/** Reads JSON that a console of the group wrote to Redis; null for what is none, or what one of another version may have written. */
export function readShared<T>(schema: z.ZodType<T>, text: string): T | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return schema.safeParse(value).data ?? null;
}
