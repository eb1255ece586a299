// The marks a cell brings about, as they must be and as they stand on the page.
import assert from 'node:assert/strict';

export const range = (count) => Array.from({ length: count }, (_, index) => index);
export const cellsOf = (shapes) =>
  Object.entries(shapes).flatMap(([stage, [rows, columns]]) =>
    range(rows).flatMap((i) => range(columns).map((j) => `${stage} ${i} ${j}`)),
  );

/** Row i of `left` against column j of `right`. */
export const rowByColumn = (left, right, inner, i, j) =>
  inner.flatMap((l) => [`${left} ${i} ${l}`, `${right} ${l} ${j}`]);

/** The marks that a cell must bring about: its operands, what those are made of, what follows. */
export function expectedMarks(shapes, reads, focus) {
  const all = cellsOf(shapes);
  const direct = (name) => {
    const [stage, i, j] = name.split(' ');
    return reads[stage]?.(Number(i), Number(j)) ?? [];
  };
  const back = (name) => direct(name).flatMap((source) => [source, ...back(source)]);
  const [operands, sources] = [direct(focus), back(focus)];
  const results = all.filter((name) => back(name).includes(focus));
  const pairs = ['scores', 'scaled', 'masked', 'weights'];
  const [stage, ...place] = focus.split(' ');
  // One pair of query and key is the same pair at every step, also where the mask cuts it off.
  const same = pairs.includes(stage) ? pairs.map((name) => [name, ...place].join(' ')) : [];
  const spelled = same.slice(0, pairs.indexOf(stage)).filter((name) => all.includes(name));
  const marks = {};
  const mark = (names, kind) => {
    for (const name of names) if (all.includes(name)) marks[name] ??= kind;
  };
  mark([focus], 'focus');
  mark(operands, 'operand');
  mark([...sources, ...spelled.flatMap(back)], 'source');
  mark(results, 'result');
  mark(same, 'source');
  return marks;
}

/** The marks as they stand on the page. */
export const marksIn = (figure) =>
  figure
    .locator('td[data-mark]')
    .evaluateAll((cells) =>
      Object.fromEntries(
        cells.map(({ dataset: { stage, row, column, mark } }) => [
          `${stage} ${row} ${column}`,
          mark,
        ]),
      ),
    );
export const at = (figure, name) => {
  const [stage, row, column] = name.split(' ');
  return figure.locator(`td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`);
};

export async function checkEach(figure, shapes, reads, names, look = point) {
  for (const name of names) {
    await look(at(figure, name));
    assert.deepEqual(await marksIn(figure), expectedMarks(shapes, reads, name), name);
  }
}

/** Moves the mouse there; the cells stand still, so there is no need to wait until they do. */
export async function point(target) {
  const [x, y] = await target.evaluate((element) => {
    element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  });
  await target.page().mouse.move(x, y);
}

/** The figure of a section far down the page, once it runs. */
export async function wake(page, name) {
  const figure = page.locator(`attention-${name}`);
  await figure.scrollIntoViewIfNeeded();
  await page.locator(`attention-${name}[data-live]`).waitFor();
  return figure;
}
