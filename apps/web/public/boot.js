// Runs before the first paint, from a file because the content security policy allows no inline script.
(() => {
  // The chosen theme, so that a page never flashes in the other one. Absent: what the system prefers.
  try {
    const theme = localStorage.getItem('weir-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; then the system's preference holds.
  }
  // Schemas must not probe for `new Function`: the policy forbids it, and browsers report each attempt.
  globalThis['__zod_globalConfig'] = { jitless: true };
})();
