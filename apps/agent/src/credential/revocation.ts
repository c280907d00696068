import { ApiError } from '@weir/client';

/** Whether a console refused an agent because somebody revoked it; looks at what caused an error too. */
export function isRevocation(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'agent-revoked';
  return error instanceof Error && error.cause !== undefined && isRevocation(error.cause);
}
