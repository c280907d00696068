/** Moves the focus to the first field with an error, once it is drawn: what is wrong must not stay below the fold. */
export function focusFirstError(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
}
