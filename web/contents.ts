// Finding one's way: the contents in the bar at the top name the section that is being read and are
// put away once used, and a jump to a section stays where it landed.

/** Where a section's text has to be to be the one that is read: a fifth of the way down. */
const line = { rootMargin: '-20% 0px -80% 0px' };

export function followReading(): void {
  const contents = document.querySelector<HTMLDetailsElement>('.contents')!;
  const here = contents.querySelector('.here')!;
  const links = [...contents.querySelectorAll('a')];
  const crossed = new Set<string>();

  const reading = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) crossed.add(`#${target.id}`);
      else crossed.delete(`#${target.id}`);
    }
    const current = links.findLast(({ hash }) => crossed.has(hash));
    here.textContent = current?.textContent ?? '';
    for (const link of links) {
      if (link === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }, line);
  for (const section of document.querySelectorAll('main > section')) reading.observe(section);

  addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || target.closest('.contents summary')) return;
    contents.open = false;
  });
  contents.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !contents.open) return;
    contents.open = false;
    contents.querySelector('summary')!.focus();
  });
}

/**
 * Figures above the place that was jumped to come to life after the jump and grow. Until the reader
 * scrolls, by whatever means, that place is held where it stands; not every browser does so by itself.
 */
export function keepLanding(): void {
  const { body } = document;
  let landed: { on: Element; top: number; height: number } | null = null;
  const away = ({ on, top }: { on: Element; top: number }) => on.getBoundingClientRect().top - top;
  // What is before the state, if anything; `:target` takes all of it for a name.
  const target = () => document.getElementById(location.hash.slice(1).split('&', 1)[0]!);
  const land = (): void => {
    const on = target();
    landed = on && { on, top: away({ on, top: 0 }), height: body.offsetHeight };
  };
  const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // A page that is opened again stands where the reader had it.
  if (opened?.type === 'navigate') {
    target()?.scrollIntoView();
    land();
  }
  addEventListener('hashchange', land);
  const leave = (): void => {
    landed = null;
  };
  for (const by of ['wheel', 'touchmove']) addEventListener(by, leave, { passive: true });
  // Keys and the bar at the edge; while the page grows, it may be the browser that scrolls.
  addEventListener('scroll', () => {
    const isReader = landed && body.offsetHeight === landed.height && Math.abs(away(landed)) >= 1;
    if (isReader) leave();
  });
  new ResizeObserver(() => {
    if (!landed) return;
    scrollBy(0, away(landed));
    landed.height = body.offsetHeight;
  }).observe(body);
}
