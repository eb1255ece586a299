// Going through a page by keyboard.
import assert from 'node:assert/strict';

/** The focused element, through shadow roots. */
export const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    let figure = '';
    while (element?.shadowRoot) {
      figure = element.localName;
      element = element.shadowRoot.activeElement;
    }
    const { dataset = {}, id, className, localName: name, type } = element ?? {};
    const place = dataset?.stage && `${dataset.stage} ${dataset.row} ${dataset.column}`;
    const label = element?.labels?.[0]?.textContent.trim().split('\n')[0] ?? '';
    const text = (element?.textContent ?? '').trim();
    return { figure, place, id, className, name, type, label, text };
  });

/** Presses Tab until the focus is where it is wanted. */
export async function tabTo(page, what, isThere, most = 60) {
  for (let count = 0; count < most; ++count) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (isThere(now)) return now;
  }
  assert.fail(`${what} is not reached by ${most} times Tab`);
}
