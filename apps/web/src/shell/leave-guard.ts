import { useEffect } from 'react';

/** Somewhere that somebody wants to go while a page holds unsaved changes. */
export interface PendingLeave {
  to: string;
  go: () => void;
}

let guarded = 0;
let pending: PendingLeave | null = null;
const listeners = new Set<() => void>();

function setPending(next: PendingLeave | null): void {
  pending = next;
  for (const listener of listeners) listener();
}

/** While `active`, leaving the page asks first: links, back and forward, reload and closing the tab. */
export function useLeaveGuard(active: boolean): void {
  useEffect(() => {
    if (!active) return undefined;
    guarded += 1;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => {
      guarded -= 1;
      window.removeEventListener('beforeunload', warn);
    };
  }, [active]);
}

/** For the router: goes at once, or keeps the way until the question is answered. */
export function guardNavigation(to: string, go: () => void): void {
  if (guarded === 0 || to === window.location.pathname) go();
  else setPending({ to, go });
}

/** The question to ask now; null: none. */
export function pendingLeave(): PendingLeave | null {
  return pending;
}

export function subscribeLeave(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Answers the question. */
export function answerLeave(leave: boolean): void {
  const way = pending;
  setPending(null);
  if (leave) way?.go();
}

/** Address of the page that is shown, for putting it back when the browser has already left it. */
let shownAddress = '';

function remember(): void {
  shownAddress = window.location.pathname + window.location.search;
}

/**
 * Back and forward change the address before anybody can object. So the address is put back and the question asked;
 * must be installed before the router listens, so that the router never sees the step.
 */
export function installHistoryGuard(): void {
  remember();
  window.addEventListener('popstate', (event) => {
    const wanted = window.location.pathname + window.location.search;
    if (guarded === 0 || wanted === shownAddress) {
      remember();
      return;
    }
    event.stopImmediatePropagation();
    window.history.pushState(null, '', shownAddress);
    setPending({ to: wanted, go: () => window.history.pushState(null, '', wanted) });
  });
  // The router turns its own steps into events of these names.
  window.addEventListener('pushState', remember);
  window.addEventListener('replaceState', remember);
}
