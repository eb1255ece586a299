/** Hands the reader a file. */
export function download(name: string, contents: Blob): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(contents);
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
