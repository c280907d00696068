import { useSyncExternalStore } from 'react';

/** `system` follows the operating system. The stored choice is applied before the first paint by /boot.js. */
export type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'weir-theme';
const listeners = new Set<() => void>();
const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Sets the theme and remembers it in this browser. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function chosenTheme(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  systemDark.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    systemDark.removeEventListener('change', listener);
  };
}

/** The chosen theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme);
}

/** Whether the page is dark now: for what style sheets do not reach, such as a canvas. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => {
    const theme = chosenTheme();
    return theme === 'system' ? systemDark.matches : theme === 'dark';
  });
}
