// The results as Markdown, in English and Chinese.

import { cases } from './cases.js';
import { outcomes } from './measure.js';

const texts = {
  en: {
    title: (test) => test.title,
    head: ['case, milliseconds', 'threads', 'relaxed', 'baseline', 'best peer', 'plain JS'],
    ratio: { relaxed: 'times as fast, relaxed', baseline: 'times as fast, baseline' },
    share: 'share of the limit',
    scaling: 'times one thread',
    aim: (number) => ` (aim ${number})`,
    note: ({ names, rounds, date, machine, versions, clocks }) =>
      `${date}, ${machine}; ${versions}. Typed arrays in to a typed array out, which all but onnxruntime-web write again ` +
      `and again; medians of up to ${rounds} turns of each in turn; clock: ${clocks}. "Times as fast" is the best peer's time ÷ ours` +
      (names.includes('X') ? '; below X, the time of X ÷ ours' : '') +
      (names.includes('J') ? '; in J, that of plain JavaScript ÷ ours' : '') +
      '. The limit is a matrix product in the first cache, in the same run, relaxed SIMD. ' +
      '"Times one thread" compares relaxed with itself on one thread, in the same process and by the same clock.',
    cpu: 'processor time',
    wall: 'time of day',
  },
  zh: {
    title: (test) => test.titleZh ?? test.title,
    head: ['情形，毫秒', '线程', 'relaxed', 'baseline', '最快的对手', '纯 JS'],
    ratio: { relaxed: '快几倍，relaxed', baseline: '快几倍，baseline' },
    share: '占极限的份额',
    scaling: '是单线程的几倍',
    aim: (number) => `（目标 ${number}）`,
    note: ({ names, rounds, date, machine, versions, clocks }) =>
      `${date}，${machine}；${versions}。从类型化数组到类型化数组（除 onnxruntime-web 外，输出都反复写进同一个数组），轮流测量，至多 ${rounds} 轮取中位数；` +
      `计时：${clocks}。“快几倍”是最快的对手的时间 ÷ 本库的时间` +
      (names.includes('X') ? '；在 X 以下是 X 的时间 ÷ 本库的时间' : '') +
      (names.includes('J') ? '；在 J 中是纯 JavaScript 的时间 ÷ 本库的时间' : '') +
      '。极限是同一次运行中第一级缓存内的矩阵乘积（relaxed SIMD）。' +
      '“是单线程的几倍”把 relaxed 与它自己的单线程相比，在同一个进程里，用同一种计时。',
    cpu: '处理器时间',
    wall: '挂钟时间',
  },
};

const milliseconds = (result) =>
  result === undefined
    ? ''
    : result.milliseconds < 0.1
      ? result.milliseconds.toFixed(4)
      : result.milliseconds < 1000
        ? result.milliseconds.toPrecision(3)
        : String(Math.round(result.milliseconds));

const row = (cells) => `| ${cells.join(' | ')} |`;

/** One table for each environment (Node, Chromium), a row for each case and number of threads. */
export function tableOf({ date, machine, names, rounds, runs }, language) {
  const text = texts[language];
  const tables = [...new Set(runs.map((run) => run.environment))].map((environment) => {
    const mine = runs.filter((run) => run.environment === environment);
    const lines = names.flatMap((name) =>
      mine.flatMap(({ threads, results }) => {
        const found = outcomes(results)[name];
        return found === undefined ? [] : [caseRow(name, threads, found, text)];
      }),
    );
    const versions = Object.entries(Object.assign({}, ...mine.map((run) => run.versions)));
    const clocks = [...new Set(mine.map((run) => text[run.clock]))].join(', ');
    const head = [...text.head, text.ratio.relaxed, text.ratio.baseline, text.share, text.scaling];
    return [
      row(head),
      row(['---', ...Array(head.length - 1).fill('---:')]),
      ...lines,
      '',
      text.note({
        ...{ names, rounds, date, machine, clocks },
        versions: versions.map((pair) => pair.join(' ')).join(', '),
      }),
    ].join('\n');
  });
  return tables.join('\n\n');
}

function caseRow(name, threads, { peer, plain, ours }, text) {
  const ratio = (one) =>
    one?.ratio === undefined
      ? ''
      : one.ratio.toPrecision(3) + (one.aim && threads === 1 ? text.aim(one.aim) : '');
  const percent = (share) => `${Math.round(100 * share)} %`;
  const { share, shareAim, scaling, scalingAim } = ours.relaxed ?? {};
  return row([
    `${name}: ${text.title(cases[name])}`,
    threads,
    ...[ours.relaxed, ours.baseline, peer, plain].map(milliseconds),
    ...[ours.relaxed, ours.baseline].map(ratio),
    share === undefined ? '' : percent(share) + text.aim(percent(shareAim)),
    scaling === undefined ? '' : scaling.toPrecision(3) + text.aim(scalingAim),
  ]);
}
