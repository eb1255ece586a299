import eslint from '@eslint/js';
import globals from 'globals';
import { defineConfig } from 'eslint/config';
import typescript from 'typescript-eslint';

export default defineConfig(
  // consumer.ts is wrong on purpose.
  { ignores: ['build/', 'dist/', 'src/js/generated/', 'tests/package/consumer.ts'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
);
