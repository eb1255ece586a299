// On the root page only: on to the reader's language, keeping what the link says.
(() => {
  const isChinese = /^zh\b/i.test(navigator.languages?.[0] ?? navigator.language ?? '');
  location.replace((isChinese ? './zh/' : './en/') + location.search + location.hash);
})();
