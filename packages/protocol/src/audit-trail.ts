import { z } from 'zod';
import { fieldChange } from './field-changes.ts';
import { count, timestampMs } from './identifiers.ts';

/** One thing that somebody did. Never holds a secret. */
export const auditEntryView = z.object({
  /** Grows with each entry. */
  entry: z.number().int().positive(),
  atMs: timestampMs,
  /** User name, `agent:<id>`, `console`, or `anonymous` for a login that was refused. */
  actor: z.string(),
  /** Verb, such as `endpoint.create`. */
  action: z.string(),
  /** What it was done to: an id or name, or empty. */
  subject: z.string(),
  /** Network address that the request came from; null: the console did it by itself, or it was not written down. */
  address: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** Fields that it changed, with old and new values; empty for what changes none, and for entries from before this was written down. */
  changes: z.array(fieldChange).default([]),
});
export type AuditEntryView = z.infer<typeof auditEntryView>;

/** Entries of the audit log that one answer holds at most. */
export const MAX_AUDIT_PAGE = 1_000;

/** Which entries: all that are given must fit. Newest first. */
export const auditQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_AUDIT_PAGE).default(100),
  /** Only entries older than this one: `next` of the page before. */
  before: z.coerce.number().int().positive().optional(),
  actor: z.string().max(128).optional(),
  /** The action, or its beginning up to a dot: `endpoint` finds `endpoint.create`. */
  action: z.string().max(64).optional(),
  /** Text in actor, action, subject, address, detail or changes; upper and lower case are the same. */
  text: z.string().max(100).optional(),
  fromMs: z.coerce.number().int().nonnegative().optional(),
  toMs: z.coerce.number().int().nonnegative().optional(),
});
export type AuditQuery = z.infer<typeof auditQuery>;

/** One page; `next` is null on the last. `kept` is the number of entries that the console keeps at most. */
export const auditPage = z.object({
  entries: z.array(auditEntryView),
  next: z.number().int().positive().nullable(),
  kept: count,
});
export type AuditPage = z.infer<typeof auditPage>;
