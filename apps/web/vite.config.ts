import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Console that the dev server passes API calls to. */
const consoleUrl = process.env['WEIR_CONSOLE_URL'] ?? 'http://127.0.0.1:8080';
const proxy = { target: consoleUrl, changeOrigin: true };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['@weir/source', 'module', 'browser', 'development|production'] },
  server: { host: '127.0.0.1', proxy: { '/api': proxy, '/healthz': proxy, '/metrics': proxy } },
  build: {
    // light-dark() and nesting are written as they are: every browser since spring 2024 knows them.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The console's content security policy allows no data: fonts or inline scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
