// Runs before first paint. Not a module, so that the reader's theme is known before any style is.
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme is the right one then.
  }
  // Figures fold their steps away only where a script will bring them back.
  root.dataset.script = '';
  addEventListener(
    'error',
    (event) => {
      if (event.target instanceof HTMLScriptElement) delete root.dataset.script;
    },
    true,
  );
})();
