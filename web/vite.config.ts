/// <reference types="vitest/config" />
// Builds one page at a time (--mode studio or --mode replay) into dist/<mode>.html: one file, nothing to fetch.
// The replay carries its own Content-Security-Policy, by hash; the studio's comes from the server, which puts its nonce into the page.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const sha = (text: string) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

// Inlines the bundle into the page's template, in place of the marks.
function onePage(mode: string): Plugin {
  return {
    name: 'one-page',
    enforce: 'post',
    generateBundle(_, bundle) {
      let script = '';
      let style = '';
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === 'chunk') script += item.code;
        else if (name.endsWith('.css')) style += String(item.source);
        else this.error(`${name} cannot be inlined`);
        delete bundle[name];
      }
      // Text that would end the element early, or be taken for a comment, must not stand in it.
      script = script.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--').trim();
      style = style.replace(/<\/style/gi, '').trim();
      const policy =
        `default-src 'none'; script-src ${sha(script)}; style-src ${sha(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
      const nonce = mode === 'studio' ? ' nonce="VOXELASTIC-NONCE"' : '';
      const page = readFileSync(new URL(`src/${mode}/${mode}.html`, import.meta.url), 'utf8')
        .replace('<!--policy-->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace('<!--style-->', () => `<style>${style}</style>`)
        .replace('<!--script-->', () => `<script${nonce}>${script}</script>`);
      this.emitFile({ type: 'asset', fileName: `${mode}.html`, source: page });
    },
  };
}

export default defineConfig(({ mode }) => ({
  root: '.',
  publicDir: false,
  plugins: [onePage(mode)],
  esbuild: { charset: 'ascii', legalComments: 'none' },
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2021',
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: {
      input: `src/${mode}/main.tsx`,
      output: { format: 'iife', inlineDynamicImports: true },
    },
  },
  test: { include: ['unit/**/*.test.ts'], environment: 'node' },
}));
