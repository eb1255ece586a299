// Runs before first paint. Not a module, so that the reader's theme is known before any style is.
(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  let theme = query.get('theme');
  try {
    theme ??= localStorage.getItem('theme');
  } catch {
    // Storage may be forbidden; the system's theme is the right one then.
  }
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  // A single figure is asked for: the article is not to be seen before main.ts takes it out.
  if (query.get('embed') === '1') root.dataset.embed = '';
  // Figures fold their steps away only where a script will bring them back.
  root.dataset.script = '';
  addEventListener(
    'error',
    (event) => {
      if (!(event.target instanceof HTMLScriptElement)) return;
      delete root.dataset.script;
      delete root.dataset.embed;
    },
    true,
  );
})();
