import { ApiError } from '@weir/client';

/** Whether a save was refused because somebody else saved first. */
export function wasChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'changed-meanwhile';
}
